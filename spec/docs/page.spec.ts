/** The live page and the pages of plotEmbedding work in real Chromium under their strict policies. Without Chromium, the tests are skipped with a note. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deeds } from '../checks/demo-deeds.ts';
import { Stage } from '../checks/demo-stage.ts';
import { fewModels, learnModels } from '../checks/models.ts';
import { plotDeeds } from '../checks/plot-deeds.ts';
import { PlotPages } from '../checks/plot-pages.ts';
import { compareInBrowser } from '../checks/same-bits.ts';
import { runWorkerPages } from '../checks/worker-pages.ts';

const test = suite('page in Chromium');

// Opened before the tests are listed, because the list depends on it.
const stage = await Stage.open();

if (typeof stage === 'string') {
  test('is left out', () => {
    const count = Object.keys({ ...deeds, ...plotDeeds }).length + 2;
    console.log(`\nSkipped: ${count} specs of the live page in Chromium, for ${stage}`);
  });
} else {
  test.after(() => stage.close());

  for (const [name, deed] of Object.entries(deeds)) {
    test(name, async () => {
      assert.is.not(await stage.act(deed), '');
    });
  }

  let plotPages: PlotPages | null = null;
  for (const [name, { pages, deed }] of Object.entries(plotDeeds)) {
    test(name, async () => {
      plotPages ??= new PlotPages(stage.browser);
      assert.is.not(await plotPages.act(pages, deed), '');
    });
  }
  test.after(() => plotPages?.close());

  test('models that were learned in Node give the same bits, however the page is served', async () => {
    const results = await compareInBrowser(stage.browser, await learnModels(fewModels));
    assert.is(results.length, 5);
    for (const { page, numbers, problem } of results) {
      assert.is(problem, null, page);
      assert.ok(numbers > 10_000, `${page}: ${numbers} numbers`);
    }
  });

  test('a worker, of plain modules or of a bundle, fits to the same bits as the main thread of a page', async () => {
    const results = await runWorkerPages(stage.browser);
    assert.is(results.length, 2);
    for (const { page, problem } of results) assert.is(problem, null, page);
  });
}

test.run();
