/** The script and style in lib/pictures/page-assets.ts are those of lib/pictures/browser. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageAssets } from '../../docs/build/page-assets.ts';

const test = suite('page assets');

test('they are current; if not, `npm run page-assets` makes them', async () => {
  const text = await pageAssets();
  assert.ok(text === readFileSync('lib/pictures/page-assets.ts', 'utf8'), 'run npm run page-assets');
});

test('nothing in them ends the element that contains them', async () => {
  const { pageScript, pageStyle } = await import('../../lib/pictures/page-assets.ts');
  for (const text of [pageScript, pageStyle]) {
    assert.not.match(text, /<\/(script|style)|<!--|\r/i);
    assert.ok(text.length > 3000);
  }
});

test.run();
