/** `node --import tsx spec/checks/screenshots.ts`: retakes the screenshots of the live page in README and guide. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { plotDigits } from '../../docs/build/digits-plot.ts';
import { groups } from './demo-scenarios.ts';
import { DemoSite } from './demo-site.ts';
import type { Scenario, Visit } from './demo-visit.ts';

const folder = fileURLToPath(new URL('../../docs/guide/pictures/', import.meta.url));
const plotPage = join(tmpdir(), `specnet-plot-${process.pid}.html`);
const light = { colorScheme: 'light' };
const dark = { colorScheme: 'dark' };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };

/** Waits until training has run for this long, so that the curves have data. */
async function learned(visit: Visit, seconds: number): Promise<void> {
  await visit.page.waitForFunction((wanted) => {
    const rows = [...document.querySelectorAll('#numbers tr')];
    const row = rows.find((one) => one.firstElementChild?.textContent === 'seconds');
    return Number(row?.lastElementChild?.textContent) >= wanted;
  }, seconds);
}

async function done(visit: Visit): Promise<void> {
  await visit.sees('#note-0', /done/);
  await visit.page.waitForTimeout(1500);
}

/** The actions before each screenshot. */
const states: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  live: async (visit) => {
    const page = await visit.open('', dark);
    await learned(visit, 9);
    for (const [x, y] of [
      [300, 150],
      [180, 190],
    ]) {
      await page.click('#pane-points canvas', { position: { x, y } });
    }
    await page.hover('#title-0');
    await page.waitForTimeout(800);
  },
  race: async (visit) => {
    await visit.open('#data=one-moon&method=specnet2-neighbor&method2=specnet2-local', light);
    await learned(visit, 4);
  },
  regression: async (visit) => {
    await visit.open('#data=circles&method=regression&color=first', light);
    await done(visit);
  },
  digits: async (visit) => {
    const page = await visit.open('#data=mnist&method=ritz&components=3', light);
    await done(visit);
    await visit.drawStroke();
    await page.waitForTimeout(1500);
  },
  'swiss-roll': async (visit) => {
    const page = await visit.open('#data=swiss-roll&points=3000&method=ritz', dark);
    await done(visit);
    await page.focus('#pane-points canvas');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.waitForTimeout(300);
  },
  csv: async (visit) => {
    await visit.open('#method=regression', light);
    await visit.drop({ name: 'groups.csv', text: groups() });
    await visit.sees('#title-points', /groups/);
    await done(visit);
  },
  'many-points': async (visit) => {
    await visit.open(
      '#data=one-moon&points=20000&graph=knn&neighbors=100&method=specnet2-full&batch=128&edges=off',
      dark,
    );
    await learned(visit, 6);
  },
  bench: async (visit) => {
    const page = await visit.open('#tab=bench', light);
    await page.click('#bench-run');
    await visit.sees('#bench-status', /agree/);
  },
  verify: async (visit) => {
    const page = await visit.open('#tab=verify', dark);
    await page.click('#graph-presets button:nth-of-type(5)');
    await visit.sees('#verify-status', /Trying/);
    await visit.sees('#verify-status', /hold/);
    await page.click('#verdicts details:nth-of-type(3) summary');
  },
  guide: async (visit) => void (await visit.open('guide/how-it-works.html', light)),
  phone: async (visit) => {
    await visit.open('#data=circles&method=specnet2-full', { ...phone, ...dark });
    await learned(visit, 6);
  },
  'phone-light': async (visit) => {
    await visit.open('#data=two-moons&method=regression', { ...phone, ...light });
    await done(visit);
  },
  plot: async (visit) => {
    const page = await visit.open('guide/index.html', light);
    writeFileSync(plotPage, await plotDigits({ axes: ['psi1', 'psi3'] }));
    await page.goto(pathToFileURL(plotPage).href);
    await page.fill('#find', '9');
    await page.waitForTimeout(300);
    visit.problems.length = 0; // the page is a file, not part of the site
    rmSync(plotPage);
  },
  'phone-verify': async (visit) => {
    await visit.open('#tab=verify', { ...phone, ...light });
    await visit.sees('#verify-status', /hold/);
  },
};

/** The browser compresses it: a screenshot then takes a tenth of the bytes. */
function packed(name: string, bytes: Buffer): Scenario {
  return async (visit) => {
    const page = await visit.open('guide/index.html');
    const text = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext('2d')!.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.85);
    }, bytes.toString('base64'));
    const webp = Buffer.from(text.split(',')[1], 'base64');
    writeFileSync(`${folder}${name}.webp`, webp);
    return `${name}.webp, ${webp.length} bytes`;
  };
}

/** All, or those named on the command line. */
async function main(): Promise<void> {
  const site = await DemoSite.open();
  if (typeof site === 'string') throw new Error(`screenshots: ${site}`);
  const shots = mkdtempSync(`${tmpdir()}/specnet-`);
  const wanted = process.argv.slice(2);
  try {
    for (const [name, prepare] of Object.entries(states)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const scenario: Scenario = async (visit) => {
        await prepare(visit);
        await visit.shoot(name);
        return name;
      };
      await site.run(scenario, shots);
      console.log(await site.run(packed(name, readFileSync(`${shots}/${name}.png`)), shots));
    }
  } finally {
    rmSync(shots, { recursive: true });
    await site.close();
  }
}

await main();
