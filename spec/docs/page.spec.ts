/** The live page and the pages of plotEmbedding work in real Chromium under their strict policies. Without Chromium, the tests are skipped with a note. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { measureOnCard } from '../checks/demo-matrices.ts';
import { scenarios } from '../checks/demo-scenarios.ts';
import { DemoSite } from '../checks/demo-site.ts';
import { fewModels, learnModels } from '../checks/models.ts';
import { plotScenarios } from '../checks/plot-scenarios.ts';
import { PlotPages } from '../checks/plot-pages.ts';
import { compareInBrowser } from '../checks/same-bits.ts';
import { runWorkerPages } from '../checks/worker-pages.ts';

const test = suite('page in Chromium');

// Opened before the tests are listed, because the list depends on it.
const site = await DemoSite.open();

if (typeof site === 'string') {
  test('is left out', () => {
    const count = Object.keys({ ...scenarios, ...plotScenarios }).length + 3;
    console.log(`\nSkipped: ${count} specs of the live page in Chromium, for ${site}`);
  });
} else {
  test.after(() => site.close());

  for (const [name, scenario] of Object.entries(scenarios)) {
    test(name, async () => {
      assert.is.not(await site.run(scenario), '');
    });
  }

  test('WebGPU multiplies a matrix as the plain kernel does, where the browser has it', async () => {
    const found = await site.runWithWebGpu(measureOnCard);
    if (found.startsWith('no card')) console.log(`\nNot run: the kernel of WebGPU, ${found}`);
    assert.is.not(found, '');
  });

  let plotPages: PlotPages | null = null;
  for (const [name, { pages, scenario }] of Object.entries(plotScenarios)) {
    test(name, async () => {
      plotPages ??= new PlotPages(site.browser);
      assert.is.not(await plotPages.run(pages, scenario), '');
    });
  }
  test.after(() => plotPages?.close());

  test('models that were learned in Node give the same bits, however the page is served', async () => {
    const results = await compareInBrowser(site.browser, await learnModels(fewModels));
    assert.is(results.length, 5);
    for (const { page, numbers, problem } of results) {
      assert.is(problem, null, page);
      assert.ok(numbers > 10_000, `${page}: ${numbers} numbers`);
    }
  });

  test('a worker, of plain modules or of a bundle, fits to the same bits as the main thread of a page', async () => {
    const results = await runWorkerPages(site.browser);
    assert.is(results.length, 2);
    for (const { page, problem } of results) assert.is(problem, null, page);
  });
}

test.run();
