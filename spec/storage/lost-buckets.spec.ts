/** Bucket files that someone deletes or cuts short while a graph is stored. */

import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storeGraph } from '../../lib/doors/storage.ts';
import { Random } from '../../lib/index.ts';
import { Buckets } from '../../lib/storage/buckets/buckets.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('lost buckets');

const random = new Random('edges');
const edges = Array.from({ length: 300_000 }, () => `${random.integer(9000)},${random.integer(9000)},1`).join('\n');

/** Stores the edges and damages each bucket when all are complete, before they are joined. Returns their number. */
async function storeDamaged(file: string, out: string, damage: (bucket: string) => void): Promise<number> {
  let count = 0;
  const progress = (fraction: number): void => {
    if (fraction < 0.6 || count > 0) return;
    for (const name of readdirSync(out).filter((each) => each.startsWith('bucket'))) {
      damage(join(out, name));
      count++;
    }
  };
  await storeGraph(file, out, { memory: 2 ** 24, progress });
  return count;
}

test('buckets that are deleted while they are in use lose nothing', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'edges.csv', edges);
    const [whole, deleted] = [join(folder, 'whole'), join(folder, 'deleted')];
    await storeGraph(file, whole);
    assert.ok((await storeDamaged(file, deleted, (bucket) => rmSync(bucket))) > 3);
    assert.equal(readdirSync(deleted), readdirSync(whole));
    for (const name of readdirSync(whole)) {
      assert.ok(readFileSync(join(deleted, name)).equals(readFileSync(join(whole, name))), name);
    }
  }));

test('a bucket that is cut short is refused by name, and the next call stores the graph', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'edges.csv', edges);
    const out = join(folder, 'out');
    // What is still in a buffer is written behind the end that the file had.
    const got = 'to be as it was written, got (a shorter one|other bytes)\\. .* Start again\\.$';
    const cut = (bucket: string): void => truncateSync(bucket, 16);
    await rejects(() => storeDamaged(file, out, cut), new RegExp(`bucket-\\d+\\.part ${got}`));
    assert.not(existsSync(out));
    assert.is((await storeGraph(file, out)).size, 9000);
  }));

test('a file of several buckets that has other bytes than were written is refused', () =>
  inFolder(async (folder) => {
    const buckets = new Buckets('spec', folder, Int32Array.of(0, 1024, 2048, 3072, 4096), 2 ** 16, { most: 2 });
    for (let k = 0; k < 20_000; k++) buckets.push(k % 4096, 1, 1);
    buckets.read(0);
    writeFileSync(join(folder, 'bucket-001.part'), new Uint8Array(16), { flag: 'r+' });
    assert.throws(() => buckets.read(2), /bucket-001\.part to be as it was written, got other bytes/);
    buckets.remove();
    assert.equal(readdirSync(folder), []);
  }));

test.run();
