import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entries, type Entry, measureSize } from '../bench/size.ts';

const test = suite('size');

for (const [name, { limit }] of Object.entries(entries)) {
  if (limit === null) continue;
  test(`${name} stays within its size limit`, async () => {
    const { minified, gzip, brotli } = await measureSize(name as Entry);
    assert.ok(gzip > 1000 && gzip < minified, 'something was bundled');
    assert.ok(brotli <= limit, `${brotli} bytes under brotli, ${limit} allowed`);
  });
}

test.run();
