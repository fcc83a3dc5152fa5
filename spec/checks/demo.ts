/** `npm run check:demo`: does the page do what it shows, in Chromium, under a strict policy? Exit 1 where it does not. */

import { mkdirSync } from 'node:fs';
import { serveSite } from '../../docs/build/serve.ts';
import { buildSite, firstLoad } from '../../docs/build/site.ts';
import { formatTable } from '../../lib/cli/table.ts';
import { launchChromium } from './chromium.ts';
import { deeds } from './demo-deeds.ts';
import { Visit } from './demo-visit.ts';

/** Pictures of each state are put there where it is said: SHOTS=FOLDER. */
const shots = process.env.SHOTS ?? null;

async function main(): Promise<void> {
  // No graphics card is needed: the processor draws.
  const browser = await launchChromium({ args: ['--enable-unsafe-swiftshader'] });
  if (typeof browser === 'string') {
    console.error(`check:demo: ${browser}`);
    process.exitCode = 1;
    return;
  }
  if (shots) mkdirSync(shots, { recursive: true });
  const { files, weights } = await buildSite();
  const { server, url } = await serveSite(files);
  const rows: string[][] = [];
  try {
    for (const [name, deed] of Object.entries(deeds)) {
      const visit = new Visit(browser, url, shots);
      let verdict: string;
      try {
        verdict = await deed(visit);
        if (visit.problems.length > 0) throw new Error(visit.problems.join('; '));
      } catch (error) {
        process.exitCode = 1;
        verdict = `FAILED: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
      }
      await visit.close();
      rows.push([name, verdict]);
      console.error(`${name}: ${verdict}`);
    }
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
  console.log(`Chromium ${browser.version()}, ${firstLoad(weights).gzip} bytes at first load\n`);
  console.log(formatTable(['what is done', 'what is seen'], rows, 2));
}

await main();
