/** The live page and the pages of plotEmbedding work in real Chromium under their strict policies. Without Chromium, the tests are skipped with a note. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launchChromium } from '../checks/chromium.ts';
import { deeds } from '../checks/demo-deeds.ts';
import { frameRates } from '../checks/demo-frames.ts';
import { Stage } from '../checks/demo-stage.ts';
import { learnModels } from '../checks/models.ts';
import { plotDeeds } from '../checks/plot-deeds.ts';
import { PlotPages } from '../checks/plot-pages.ts';
import { compareInBrowser } from '../checks/same-bits.ts';
import { runWorkerPages } from '../checks/worker-pages.ts';

const test = suite('page in Chromium');

let stage: Stage | null = null;
const reported: string[] = [];
// Looks for the browser first, because the list of tests depends on it.
const tried = await launchChromium();
if (typeof tried !== 'string') await tried.close();

test.before(async () => {
  const opened = typeof tried === 'string' ? tried : await Stage.open();
  if (typeof opened !== 'string') stage = opened;
});

test.after(async () => {
  await stage?.close();
  if (reported.length > 0) console.log(`\n${reported.join('\n')}`);
});

if (typeof tried === 'string') {
  test('is left out', () => {
    const count = Object.keys({ ...deeds, ...plotDeeds, ...frameRates }).length + 2;
    reported.push(`Skipped: ${count} specs of the live page in Chromium, for ${tried}`);
  });
} else {
  for (const [name, deed] of Object.entries(deeds)) {
    test(name, async () => {
      assert.is.not(await stage!.act(deed), '');
    });
  }

  let plotPages: PlotPages | null = null;
  for (const [name, { pages, deed }] of Object.entries(plotDeeds)) {
    test(name, async () => {
      plotPages ??= new PlotPages(stage!.browser);
      assert.is.not(await plotPages.act(pages, deed), '');
    });
  }
  test.after(() => plotPages?.close());

  for (const [name, deed] of Object.entries(frameRates)) {
    test(name, async () => {
      reported.push(`${name}: ${await stage!.act(deed)}`);
    });
  }

  test('models that were learned in Node give the same bits, however the page is served', async () => {
    const results = await compareInBrowser(stage!.browser, await learnModels({ images: false }));
    assert.is(results.length, 5);
    for (const { page, numbers, problem } of results) {
      assert.is(problem, null, page);
      assert.ok(numbers > 20_000, `${page}: ${numbers} numbers`);
    }
  });

  test('a worker, of plain modules or of a bundle, fits to the same bits as the main thread of a page', async () => {
    const results = await runWorkerPages(stage!.browser);
    assert.is(results.length, 2);
    for (const { page, problem } of results) assert.is(problem, null, page);
  });
}

test.run();
