/** User actions in the other tabs: measure, verify a user's own graph, read, and switch between tabs. */

import type { Scenario, Visit } from './demo-visit.ts';

export const otherTabs: Readonly<Record<string, Scenario>> = {
  'measure kernels': async (visit) => {
    const page = await visit.open('#tab=bench&points=400');
    await page.click('#bench-run');
    const text = await visit.sees('#bench-status', /agree/);
    await visit.shoot('bench');
    if (!text.startsWith('The twins agree')) throw new Error(text);
    const times = await page.evaluate(() => [...document.querySelectorAll('.times')].map((one) => one.textContent));
    return `${text} SIMD is faster by ${times.join(', ')}`;
  },
  'verify theorems on a graph': async (visit) => {
    const page = await visit.open('#tab=verify&points=400');
    const first = await visit.sees('#verify-status', /hold/);
    await page.click('#graph-presets button:nth-of-type(5)');
    await visit.sees('#verify-status', /Trying/);
    const second = await visit.sees('#verify-status', /hold/);
    await visit.shoot('verify');
    if (/fail/.test(first + second)) throw new Error(`${first} ${second}`);
    await page.click('#graph-presets button:nth-of-type(1)');
    return `two triangles: ${first} two halves: ${second} ${await editGraph(visit)}`;
  },
  'go from tab to tab by keys': async (visit) => {
    const page = await visit.open('#tab=bench&points=400');
    const state = (): Promise<string> =>
      page.evaluate(() => {
        const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
        const chosen = tabs.filter((tab) => tab.ariaSelected === 'true' && tab.tabIndex === 0);
        const shown = [...document.querySelectorAll<HTMLElement>('[role=tabpanel]')].filter((panel) => !panel.hidden);
        const outline = getComputedStyle(document.activeElement!).outlineStyle;
        const names = [chosen, shown, [document.activeElement!]].map((list) => list.map(({ id }) => id).join('+'));
        return `${names.join(' ')} ${outline}`;
      });
    await page.focus('#tab-bench');
    for (const [key, name] of [
      ['ArrowRight', 'verify'],
      ['ArrowRight', 'live'],
      ['ArrowLeft', 'verify'],
      ['Home', 'live'],
      ['End', 'verify'],
    ]) {
      await page.keyboard.press(key);
      const seen = await state();
      if (seen !== `tab-${name} ${name} tab-${name} solid`) throw new Error(`${key}: ${seen}`);
    }
    return 'arrows, Home and End choose, show, and outline what has the focus';
  },
  'read the guide': async (visit) => {
    const page = await visit.open('guide/index.html');
    const links = await page.evaluate(() =>
      [...document.querySelectorAll('nav a')].map((a) => (a as HTMLAnchorElement).href),
    );
    await visit.shoot('guide');
    for (const link of links) {
      const status = await page.evaluate(async (address) => (await fetch(address)).status, link);
      if (status !== 200) throw new Error(`${link}: ${status}`);
    }
    return `${links.length} pages`;
  },
};

/** Edits two triangles by pointer and by keys. */
async function editGraph(visit: Visit): Promise<string> {
  const { page } = visit;
  const parts = (): Promise<string> =>
    page.evaluate(() =>
      ['circle', 'line.edge'].map((one) => document.querySelectorAll(`#editor ${one}`).length).join(),
    );
  const changes: string[] = [await parts()];
  // Each edit is drawn at once, and ends the test of the graph before it.
  const recordParts = async (): Promise<void> => {
    changes.push(await parts());
  };
  await recordParts();
  await page.click('#editor', { position: { x: 40, y: 20 } }); // adds a node, connected to the nearest one
  await recordParts();
  await page.focus('#editor [data-part="node 0"]');
  await page.keyboard.press('Enter');
  await page.focus('#editor [data-part="node 3"]');
  await page.keyboard.press(' '); // adds an edge between them
  await recordParts();
  await page.focus('#editor [data-part="node 6"]');
  await page.keyboard.press('Delete');
  await recordParts();
  await page.click('#node-add');
  await recordParts();
  await page.click('#node-remove');
  await recordParts();
  const wanted = '6,7 6,7 7,8 7,9 6,8 7,9 6,8';
  if (changes.join(' ') !== wanted) throw new Error(`nodes and edges ${changes.join(' ')}, not ${wanted}`);
  const text = await visit.sees('#verify-status', /hold/);
  if (/fail/.test(text)) throw new Error(text);
  return `nodes and edges ${changes.join(' ')}: ${text}`;
}
