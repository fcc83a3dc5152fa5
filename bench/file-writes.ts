/** The cost of syncing files to the disk before they count as written: `node --import tsx bench/file-writes.ts FOLDER`. */

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatMilliseconds, formatTable } from '../lib/charts/table.ts';
import { replaceFileSync } from '../lib/files/write.ts';

const repeats = 101;

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'specnet-bench-'));
try {
  const rows = [1e3, 1e5, 1e6, 1e7].map((size) => {
    const bytes = new Uint8Array(size).fill(7);
    const [plain, synced]: [number[], number[]] = [[], []];
    for (let i = 0; i < repeats; i++) {
      plain.push(timeOf(() => renameAfterWrite(join(folder, 'plain'), bytes)));
      synced.push(timeOf(() => replaceFileSync('--out', join(folder, 'synced'), bytes)));
    }
    const [without, withSync] = [median(plain), median(synced)];
    const [a, b, cost] = [without, withSync, withSync - without].map(formatMilliseconds);
    return [`${size / 1e3} kB`, a, b, cost];
  });
  console.log(formatTable(['file', 'without sync', 'with sync', 'cost'], rows, 0));
} finally {
  rmSync(folder, { recursive: true });
}

function renameAfterWrite(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.draft`, bytes);
  renameSync(`${path}.draft`, path);
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
