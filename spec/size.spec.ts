import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entries, type Entry, measureSize, type Size } from '../bench/size.ts';

const test = suite('size');

const measured = new Map<Entry, Size>();

for (const [name, { limit }] of Object.entries(entries)) {
  if (limit === null) continue;
  test(`${name} stays within its size limit`, async () => {
    const size = await measureSize(name as Entry);
    measured.set(name as Entry, size);
    const { minified, gzip, brotli } = size;
    assert.ok(gzip > 1000 && gzip < minified, 'something was bundled');
    assert.ok(brotli <= limit, `${brotli} bytes under brotli, ${limit} allowed`);
  });
}

test('what is loaded on demand is counted apart', () => {
  const { brotli, gzip } = measured.get('SpectralEmbedding')!.onDemand;
  assert.ok(brotli > 5000 && brotli < gzip, `${brotli}`);
  assert.equal(measured.get('CsrMatrix and matmul')!.onDemand, { minified: 0, gzip: 0, brotli: 0 });
});

test.run();
