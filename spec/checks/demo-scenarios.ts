/** User actions on the live page. Each one returns a description of its result, and throws if the result is wrong. */

import { readFile } from 'node:fs/promises';
import { blobs } from '../../datasets/blobs.ts';
import { trainOn } from './demo-trainings.ts';
import { drops } from './demo-drops.ts';
import { environments } from './demo-environments.ts';
import { matrixScenarios } from './demo-matrices.ts';
import { otherTabs } from './demo-tabs.ts';
import { traceFrames } from './demo-frames.ts';
import type { Scenario } from './demo-visit.ts';

/** Three clusters in the plane, with a column of labels. */
export function groups(): string {
  const { points, labels } = blobs({ n: 300, centers: 3, seed: 4 });
  const rows = Array.from(labels!, (label, i) => `${points.data[2 * i]},${points.data[2 * i + 1]},group ${label}`);
  return ['x,y,kind', ...rows].join('\n');
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'load the page': async (visit) => {
    const page = await visit.open('');
    await visit.sees('#numbers', /steps[1-9]/);
    const { painted } = await traceFrames(page, 300);
    if (painted === 0) throw new Error('nothing was painted');
    return `${await page.textContent('#note-points')}`;
  },
  'train each method on one moon': trainOn(600),
  'drop a CSV file': async (visit) => {
    const page = await visit.open('#method=ritz&points=100');
    await visit.sees('#numbers', /f₂/);
    await visit.drop({ name: 'groups.csv', text: groups() });
    await visit.sees('#title-points', /groups\.csv/);
    const legend = await visit.sees('#legend', /group 2/);
    await visit.sees('#note-0', /done/);
    await visit.shoot('csv');
    return `${await page.textContent('#note-points')}, labels ${legend}`;
  },
  'see what is wrong with a CSV file': async (visit) => {
    const page = await visit.open('#points=400');
    const buffer = Buffer.from('x,y\none,2\ntwo,four\n');
    await page.setInputFiles('#file', { name: 'wrong.csv', mimeType: 'text/csv', buffer });
    return visit.sees('#status', /wrong\.csv: expected .*'x' \(/);
  },
  ...drops,
  ...matrixScenarios,
  'find clusters in a file, by the worker of the library': async (visit) => {
    const page = await visit.open('#method=ritz&color=cluster&points=100');
    await visit.drop({ name: 'groups.csv', text: groups() });
    const note = await visit.sees(
      '#cluster-note',
      /^3 clusters of 100, 100, 100 points, .*Agreement with the labels: 1\.000/,
    );
    await visit.sees('#legend', /cluster 1cluster 2cluster 3/);
    await visit.shoot('clusters');
    await page.selectOption('[name=clusters]', '4');
    await visit.sees('#cluster-note', /^4 clusters of/);
    await page.click('#pane-points canvas', { position: { x: 200, y: 150 } });
    await visit.sees('#cluster-note', /Of the new points: [1-4]\./);
    await page.selectOption('[name=color]', 'label');
    await visit.sees('#legend', /group 2/);
    const scripts = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    if (!scripts.some((name) => name.endsWith('/worker-script.js'))) throw new Error(scripts.join());
    return note;
  },
  'embed new points by pointer and by keyboard': async (visit) => {
    const page = await visit.open('#method=ritz&points=400');
    await visit.sees('#note-0', /done/);
    await page.click('#pane-points canvas', { position: { x: 200, y: 150 } });
    await page.focus('#pane-points canvas');
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.waitForSelector('#pane-0 .mark:nth-of-type(2)', { state: 'attached' });
    await visit.shoot('new-points');
    const count = await page.evaluate(() => document.querySelectorAll('#pane-0 .mark').length);
    if (count !== 2) throw new Error(`${count} marks`);
    return `${count} marks beside the embedding`;
  },
  'race two methods': async (visit) => {
    const page = await visit.open('#data=one-moon&edges=off&method=specnet2-neighbor&method2=specnet2-local');
    await visit.learns([0.05]);
    await visit.shoot('race');
    const [first, second] = [await visit.errors(1), await visit.errors(2)];
    if (!(first[0] < second[0])) throw new Error(`neighbors ${first[0]}, local ${second[0]}`);
    await page.click('#run');
    return `neighbors ${first.join(' / ')}, local ${second.join(' / ')}`;
  },
  'pause, step, reset': async (visit) => {
    const page = await visit.open('#data=one-moon&points=400');
    await visit.learns([0.5]);
    await page.keyboard.press(' ');
    await visit.sees('#run', /Train/);
    await page.click('#reset');
    await visit.sees('#numbers', /steps0/);
    await page.click('#step');
    await visit.sees('#numbers', /steps1(?!\d)/);
    return 'paused by a key, back to step 0, then step 1';
  },
  'change rate, batch and address': async (visit) => {
    const page = await visit.open('#data=one-moon&points=1000&edges=off&batch=8&rate=0.001');
    await visit.learns([0.5]);
    await page.focus('[name=rate]');
    await page.keyboard.press('ArrowRight');
    await page.focus('[name=batch]');
    await page.keyboard.press('ArrowRight');
    const address = await page.evaluate(() => location.hash);
    if (!/batch=16/.test(address) || !/rate=0\.0013/.test(address)) throw new Error(address);
    const epoch = async (): Promise<number> =>
      Number(/epoch (\d+)/.exec((await page.textContent('#note-0')) ?? '')?.[1]);
    await page.keyboard.press('End'); // full batch: from the next epoch on, each step is an epoch
    const [steps, before] = [await visit.steps(), await epoch()];
    await page.waitForFunction(
      (wanted) => Number(/epoch (\d+)/.exec(document.querySelector('#note-0')!.textContent!)?.[1]) > wanted,
      before + 40,
    );
    const [taken, passed] = [(await visit.steps()) - steps, (await epoch()) - before];
    // The current epoch has 125 or 63 steps. Later ones have as many if the page ignored the change.
    if (taken > 20 * passed) throw new Error(`${passed} epochs took ${taken} steps`);
    return `${address}; then ${passed} epochs in ${taken} steps`;
  },
  'controls stay in place when the training begins': async (visit) => {
    const page = await visit.open('#data=one-moon&points=400', { reducedMotion: 'reduce' });
    await visit.sees('#status', /exact eigenvectors in/);
    const place = (): Promise<string> =>
      page.evaluate(() => {
        const { left, top } = document.querySelector('#simd')!.getBoundingClientRect();
        return `${Math.round(left)}, ${Math.round(top)}`;
      });
    const before = await place();
    await page.click('#run');
    await visit.sees('#speed', /^[1-9]/);
    const after = await place();
    if (after !== before) throw new Error(`moved from ${before} to ${after}`);
    return `at ${after}`;
  },
  'switch SIMD off': async (visit) => {
    const page = await visit.open('#data=one-moon&points=400');
    await visit.sees('#speed', /^[1-9]/);
    await page.uncheck('#simd');
    await visit.sees('#status', /plain kernels/);
    await visit.goesOn();
    await page.check('#simd');
    await visit.sees('#status', /SIMD kernels/);
    await visit.goesOn();
    return 'the training goes on with either kernels';
  },
  'read note and numbers of the same frame': async (visit) => {
    const page = await visit.open('#method=ritz&points=1000&edges=off');
    await visit.sees('#note-0', /done/);
    const last = /steps(\d+)/.exec((await page.textContent('#numbers')) ?? '')?.[1];
    await page.evaluate(() => {
      const note = document.querySelector<HTMLElement>('#note-0')!;
      const seen = new Set<string>();
      const observer = new MutationObserver(() => {
        const steps = /steps(\d+)/.exec(document.querySelector('#numbers')!.textContent!)?.[1];
        seen.add(`${steps ?? 'no'} steps: ${note.textContent}`);
        note.dataset.seen = JSON.stringify([...seen]);
      });
      for (const id of ['#note-0', '#numbers']) observer.observe(document.querySelector(id)!, { childList: true });
    });
    await page.click('#run'); // trains again from the beginning
    await page.waitForFunction(
      (steps) => document.querySelector<HTMLElement>('#note-0')!.dataset.seen?.includes(`${steps} steps`),
      last,
    );
    const pairs = await page.evaluate(() => document.querySelector<HTMLElement>('#note-0')!.dataset.seen!);
    const seen = JSON.parse(pairs) as string[];
    // Each step of the slider doubles the landmarks, so that each position has one note.
    const steps = new Set(seen.map((pair) => pair.split(':')[0]));
    if (steps.size !== seen.length) throw new Error(seen.join('; '));
    return seen.join('; ');
  },
  'save a model and load it': async (visit) => {
    const page = await visit.open('#method=ritz&points=400');
    await visit.sees('#note-0', /done/);
    const before = await visit.errors();
    const saved = page.waitForEvent('download');
    await page.click('#save');
    const path = await (await saved).path();
    await page.click('#reset');
    await page.setInputFiles('#file', { name: 'model.specnet', mimeType: '', buffer: await readFile(path) });
    await visit.sees('#note-0', /from a file/);
    const after = await visit.errors();
    if (before.join() !== after.join()) throw new Error(`${before.join(' / ')} before, ${after.join(' / ')} after`);
    return `the same errors, ${after.join(' / ')}`;
  },
  'draw a digit': async (visit) => {
    const page = await visit.open('#data=mnist&points=1000&method=ritz&components=3');
    await visit.sees('#note-0', /done/);
    await visit.drawStroke();
    await page.waitForSelector('#pane-0 .mark', { state: 'attached' });
    await page.waitForTimeout(1200); // the view zooms in on points that no longer move
    await visit.shoot('digits');
    // The drawing looks like a 1: most of the points around its position are ones.
    const labels = await page.evaluate(() => {
      const canvas = document.querySelector('#pane-0 canvas')!;
      const { left, top, width } = canvas.getBoundingClientRect();
      const [x, y] = document
        .querySelector('#pane-0 .mark')!
        .getAttribute('transform')!
        .match(/[\d.]+/g)!
        .map(Number);
      return Array.from({ length: 49 }, (_, i) => {
        const [across, down] = [(i % 7) - 3, Math.floor(i / 7) - 3].map((steps) => (steps * width) / 60);
        const place = { clientX: left + x + across, clientY: top + y + down };
        canvas.dispatchEvent(new PointerEvent('pointermove', place));
        const peek = document.querySelector<HTMLCanvasElement>('#peek')!;
        return peek.hidden ? '' : peek.getAttribute('aria-label')!.slice(-1);
      });
    });
    const count = (label: string): number => labels.filter((one) => one === label).length;
    const counts = [...'0123456789'].map(count);
    if (count('1') < Math.max(...counts)) throw new Error(`around a stroke, from 0 to 9: ${counts.join(' ')}`);
    return `around a stroke, from 0 to 9: ${counts.join(' ')}`;
  },
  'rotate the Swiss roll': async (visit) => {
    const page = await visit.open('#data=swiss-roll&points=1000&method=ritz');
    await visit.sees('#note-0', /done/);
    await page.focus('#pane-points canvas');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    await visit.shoot('swiss-roll');
    const errors = await visit.errors();
    if (!(errors[0] < 0.1)) throw new Error(errors.join(' / '));
    return `errors ${errors.join(' / ')}`;
  },
  'choose other data': async (visit) => {
    const page = await visit.open('#points=400');
    const seen: string[] = [];
    for (const [value, title] of [
      ['one-moon', /One moon/],
      ['circles', /Circles/],
      ['swiss-roll', /Swiss roll/],
      ['mnist', /MNIST/],
      ['two-moons', /Two moons/],
    ] as const) {
      await page.selectOption('[name=data]', value);
      await visit.sees('#title-points', title);
      await visit.sees('#numbers', /steps[1-9]/);
      seen.push(`${await page.textContent('#note-points')}`);
    }
    if (!seen.every((note) => /^400 points, [1-9]/.test(note))) throw new Error(seen.join('; '));
    return seen.join('; ');
  },
  'copy the address': async (visit) => {
    const page = await visit.open('#points=400');
    await page.selectOption('[name=data]', 'circles');
    await page.selectOption('[name=method]', 'specnet1-full');
    await page.selectOption('[name=method2]', 'ritz');
    await page.uncheck('[name=edges]');
    const address = await page.evaluate(() => location.hash);
    await visit.open(address);
    await visit.sees('#title-points', /Circles/);
    await visit.sees('#title-0', /SpecNet1, full/);
    await visit.sees('#title-1', /Ritz head/);
    return address;
  },
  ...otherTabs,
  ...environments,
};
