/**
 * `npm run docs`: writes page and guide to the folder `site`, for any static host. Exits with 1 if the page is too
 * large.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatTable } from '../../lib/charts/table.ts';
import { firstLoadLimit } from './bundle.ts';
import { buildSite, firstLoad } from './site.ts';

const folder = fileURLToPath(new URL('../../site/', import.meta.url));
const { files, weights } = await buildSite();
rmSync(folder, { recursive: true, force: true });
for (const { name, bytes } of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), bytes);
}
const rows = weights.map(({ name, bytes, gzip, brotli }) => [name, ...[bytes, gzip, brotli].map(String)]);
console.log(formatTable(['first load', 'bytes', 'gzip', 'brotli'], rows, 1));
const { gzip, isWithin } = firstLoad(weights);
console.log(`\nTogether ${gzip} bytes of gzip, ${isWithin ? 'within' : 'beyond'} the limit of ${firstLoadLimit}.`);
console.log(`${files.length} files in site/: any host of plain files serves them.`);
if (!isWithin) process.exitCode = 1;
