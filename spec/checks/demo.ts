/** `npm run check:demo`: checks the live page in Chromium, under a strict policy. Exit code 1 if a check fails. */

import { mkdirSync } from 'node:fs';
import { formatTable } from '../../lib/charts/table.ts';
import { scenarios } from './demo-scenarios.ts';
import { measurements } from './demo-frames.ts';
import { heavyDrops } from './demo-drops.ts';
import { DemoSite } from './demo-site.ts';
import { trainOn } from './demo-trainings.ts';

/** The folder for screenshots of each state, from SHOTS=FOLDER. Default: no screenshots. */
const shots = process.env.SHOTS ?? null;
/** Runs only the actions with this word in their names: `npm run check:demo -- WORD`. Default: all. */
const word = process.argv[2] ?? '';

/** The actions of the specs, and what takes long or depends on the machine. */
const all = { ...scenarios, ...heavyDrops, 'train each method on 2,000 points': trainOn(2000), ...measurements };

async function main(): Promise<void> {
  const site = await DemoSite.open();
  if (typeof site === 'string') {
    console.error(`check:demo: ${site}`);
    process.exitCode = 1;
    return;
  }
  if (shots) mkdirSync(shots, { recursive: true });
  const rows: string[][] = [];
  for (const [name, scenario] of Object.entries(all)) {
    if (!name.includes(word)) continue;
    const start = performance.now();
    const verdict = await site.run(scenario, shots).catch((error: unknown) => {
      process.exitCode = 1;
      return `FAILED: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
    });
    rows.push([name, ((performance.now() - start) / 1000).toFixed(1), verdict]);
    console.error(rows[rows.length - 1].join(': '));
  }
  await site.close();
  console.log(`Chromium ${site.browser.version()}, ${site.firstLoad} bytes at first load\n`);
  console.log(formatTable(['what is done', 'seconds', 'what is seen'], rows, 3));
}

await main();
