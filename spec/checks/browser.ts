/** `npm run check:browser`: compares models trained in Node with the same models in Chromium, bit for bit. Exit code 1 if they differ. */

import { formatTable } from '../../lib/charts/table.ts';
import { launchChromium } from './chromium.ts';
import { learnModels } from './models.ts';
import { compareInBrowser } from './same-bits.ts';

async function main(): Promise<void> {
  const browser = await launchChromium();
  if (typeof browser === 'string') {
    console.error(`check:browser: ${browser}`);
    process.exitCode = 1;
    return;
  }
  const cases = await learnModels();
  try {
    const results = await compareInBrowser(browser, cases);
    if (results.some(({ problem }) => problem !== null)) process.exitCode = 1;
    const rows = results.map(({ page, kernels, numbers, problem }) => [
      page,
      kernels,
      String(numbers),
      problem ?? 'same bits',
    ]);
    console.log(`${cases.length} models, Node ${process.version} and Chromium ${browser.version()}\n`);
    console.log(formatTable(['page', 'kernels', 'numbers', 'verdict'], rows, 2));
  } finally {
    await browser.close();
  }
}

await main();
