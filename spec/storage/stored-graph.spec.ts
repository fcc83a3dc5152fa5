/** A stored graph gives back the bits that were stored, from memory and from files, and refuses anything else. */

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { readMatrixMarket, writeMatrixMarket } from '../../lib/doors/formats.ts';
import { buildGraph, graphFrom, type Graph } from '../../lib/doors/graph.ts';
import { fromTriplets, sliceRows, symmetrize } from '../../lib/doors/sparse.ts';
import { openStoredGraph, type StoredGraph, storeGraph } from '../../lib/doors/storage.ts';
import { Random } from '../../lib/index.ts';
import { PageCache } from '../../lib/storage/arrays/page-cache.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('stored graph');

const graph = await buildGraph(blobs({ n: 3000, seed: 1 }).points, { kind: 'knn-gaussian', neighbors: 12 });

function sameGraph(found: Graph, expected: Graph): void {
  assert.is(found.size, expected.size);
  assert.is(found.scale, expected.scale);
  assert.is(found.volume, expected.volume);
  for (const name of ['starts', 'columns', 'values'] as const) {
    assert.equal(found.weights[name].slice(), expected.weights[name].slice(), name);
  }
  assert.equal(found.degrees.slice(), expected.degrees.slice());
  assert.equal(found.isolated, expected.isolated);
}

/** Opens a folder, and closes it after the callback. */
function reading(folder: string, use: (stored: StoredGraph) => void, memory = 2 ** 20): void {
  const stored = openStoredGraph(folder, { memory });
  try {
    use(stored);
  } finally {
    stored.close();
  }
}

test('a graph in memory is stored and opened with the same bits', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    const header = await storeGraph(graph, path);
    assert.is(header.nonzeros, graph.weights.nonzeros);
    reading(path, (stored) => {
      sameGraph(stored.toGraph(), graph);
      assert.is(stored.isolated, graph.isolated.length);
      assert.equal(stored.degrees(7, 90).slice(), graph.degrees.slice(7, 90));
      assert.equal([...stored.starts(5, 8)], [...graph.weights.starts.subarray(5, 9)]);
    });
    assert.equal(readdirSync(path).toSorted(), [
      'checksums.npy',
      'data.npy',
      'degrees.npy',
      'indices.npy',
      'indptr.npy',
      'specnet-graph.json',
    ]);
  }));

test('rows are read in any order, through a cache that is smaller than the graph', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    await storeGraph(graph, path);
    const random = new Random(3);
    reading(
      path,
      (stored) => {
        for (let round = 0; round < 50; round++) {
          const rows = Int32Array.from({ length: 40 }, () => random.integer(graph.size));
          const [found, expected] = [stored.rows(rows), sliceRows(graph.weights, rows)];
          assert.equal(found.starts.slice(), expected.starts.slice());
          assert.equal(found.columns.slice(), expected.columns.slice());
          assert.equal(found.values.slice(), expected.values.slice());
        }
        const { budget, hits, misses, bytesRead } = stored.statistics;
        assert.is(budget, 2 ** 18);
        assert.ok(hits > 1000 && misses > 50, `${hits} hits, ${misses} misses`);
        assert.ok(bytesRead > budget, `${bytesRead} bytes read`);
      },
      2 ** 18,
    );
  }));

test('the cache returns the bytes of a file, also where pages begin and end', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    await storeGraph(graph, path);
    const bytes = readFileSync(join(path, 'indices.npy'));
    const { FileReader } = await import('../../lib/files/read.ts');
    const reader = new FileReader('spec', join(path, 'indices.npy'));
    const cache = new PageCache('spec', 2 ** 18);
    const random = new Random(5);
    for (let round = 0; round < 200; round++) {
      const from = random.integer(bytes.length);
      const length = Math.min(bytes.length - from, random.integer(round % 2 ? 300 : 200_000));
      const target = new Uint8Array(length);
      cache.read({ reader, checksums: null }, from, target);
      assert.ok(bytes.subarray(from, from + length).equals(target), `${length} bytes from ${from}`);
    }
    reader.close();
  }));

/** An asymmetric matrix with repeated entries, and rows without any. */
function randomTriplets(size: number, count: number, seed: number) {
  const random = new Random(seed);
  const draw = (): number[] => Array.from({ length: count }, () => random.integer(size));
  const [rows, columns] = [draw(), draw()];
  return { rows, columns, values: Array.from(rows, () => random.uniform(0.1, 3)) };
}

test('a Matrix Market file becomes the graph that it becomes in memory', () =>
  inFolder(async (folder) => {
    const matrix = symmetrize(fromTriplets(randomTriplets(5000, 60_000, 1), [5000, 5000], 'double'));
    for (const [symmetry, gzip] of [
      ['symmetric', false],
      ['general', true],
    ] as const) {
      // oxfmt-ignore
      // oxlint-disable-next-line no-await-in-loop -- one folder after another
      const bytes = await writeMatrixMarket(matrix, { symmetry, gzip });
      const file = put(folder, `${symmetry}.mtx${gzip ? '.gz' : ''}`, bytes);
      for (const precision of ['single', 'double'] as const) {
        const path = join(folder, `${symmetry}-${precision}`);
        // 16 MiB are enough for 100,000 records at a time, so that there is more than one bucket.
        await storeGraph(file, path, { precision, memory: 2 ** 24 }); // oxlint-disable-line no-await-in-loop
        // oxlint-disable-next-line no-await-in-loop
        const read = await readMatrixMarket(bytes, { precision });
        reading(path, (stored) => sameGraph(stored.toGraph(), graphFrom(read)));
      }
    }
  }));

test('a matrix of many buckets has the rows of all of them', () =>
  inFolder(async (folder) => {
    const { Buckets, RowCounts } = await import('../../lib/storage/buckets/buckets.ts');
    const { rows, columns, values } = randomTriplets(9000, 30_000, 2);
    const counts = new RowCounts();
    rows.forEach((row, k) => counts.add(row, columns[k], true));
    const bounds = counts.divide(9000, 8000);
    assert.ok(bounds.length > 7, `${bounds.length}`);
    const expected = rows.map((row, k) => [row, columns[k], values[k]]);
    const within = (b: number, row: number): boolean => row >= bounds[b] && row < bounds[b + 1];
    // With three files, each has some of the buckets; with one, so has each of those that it is divided into.
    for (const most of [512, 3, 2]) {
      const buckets = new Buckets('spec', folder, bounds, 2 ** 16, { most });
      for (const [row, column, value] of expected) {
        buckets.push(row, column, value);
        buckets.pushMirrored(column, row, value);
      }
      for (let again = 0; again < 2; again++) {
        for (let b = 0; b + 1 < bounds.length; b++) {
          const { own, mirrored } = buckets.read(b);
          const found = Array.from(own.rows, (row, k) => [row + bounds[b], own.columns[k], own.values[k]]);
          const ofMirror = Array.from(mirrored.rows, (row, k) => [
            mirrored.columns[k],
            row + bounds[b],
            mirrored.values[k],
          ]);
          // In the order in which they came.
          assert.equal(found, expected.filter(([row]) => within(b, row))); // oxfmt-ignore
          assert.equal(ofMirror, expected.filter(([, column]) => within(b, column))); // oxfmt-ignore
        }
      }
      assert.ok(readdirSync(folder).length < 10, `${readdirSync(folder).length} files`);
      buckets.remove();
      assert.equal(readdirSync(folder), []);
    }
  }));

test('lists of edges become symmetric as asked, and repeated edges add up', () =>
  inFolder(async (folder) => {
    const { rows, columns, values } = randomTriplets(700, 5000, 4);
    const lines = rows.map((row, k) => `${row},${columns[k]},${values[k]}`);
    const text = put(folder, 'edges.csv', `\ufefffrom,to,weight\n# a comment\n\n${lines.join('\r\n')}`);
    const table = Float64Array.from(rows.flatMap((row, k) => [row, columns[k], values[k]]));
    const array = put(folder, 'edges.npy', npyBytes('<f8', [5000, 3], table));
    const directed = fromTriplets({ rows, columns, values }, [700, 700], 'double');
    for (const symmetric of ['max', 'mean', 'sum'] as const) {
      const expected = graphFrom(symmetrize(directed, symmetric));
      for (const file of [text, array]) {
        const path = join(folder, `${symmetric}-${file.endsWith('csv')}`);
        const options = { precision: 'double', size: 700, ...(symmetric !== 'max' && { symmetric }) } as const;
        await storeGraph(file, path, options); // oxlint-disable-line no-await-in-loop
        reading(path, (stored) => sameGraph(stored.toGraph(), expected));
      }
    }
  }));

test('a symmetric matrix is joined with itself as asked', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'a.mtx', '%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n2 1 3\n3 2 5\n');
    for (const [symmetric, values] of [
      ['mean', [2, 3, 3, 5, 5]],
      ['sum', [4, 6, 6, 10, 10]],
    ] as const) {
      await storeGraph(file, join(folder, symmetric), { symmetric }); // oxlint-disable-line no-await-in-loop
      reading(join(folder, symmetric), (stored) => assert.equal([...stored.toGraph().weights.values], values));
    }
  }));

test('edges without weights, separated by blanks, have weight 1', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'edges.txt', '0 1\n1\t2 \n4 0\n');
    await storeGraph(file, join(folder, 'graph'));
    reading(join(folder, 'graph'), (stored) => {
      const { weights, size, isolated } = stored.toGraph();
      assert.is(size, 5);
      assert.equal([...isolated], [3]);
      assert.equal([...weights.columns], [1, 4, 0, 2, 1, 0]);
      assert.equal([...weights.values], [1, 1, 1, 1, 1, 1]);
    });
  }));

test('weights of any magnitude are divided by a power of two, as in memory', () =>
  inFolder(async (folder) => {
    for (const unit of [1e-60, 1e-6, 1, 1e7, 1e200]) {
      const { rows, columns, values } = randomTriplets(50, 200, 6);
      const scaled = values.map((value) => value * unit);
      const file = put(folder, 'edges.csv', rows.map((row, k) => `${row};${columns[k]};${scaled[k]}`).join('\n'));
      const path = join(folder, `graph ${unit}`);
      await storeGraph(file, path, { precision: 'double', size: 50 }); // oxlint-disable-line no-await-in-loop
      const expected = graphFrom(
        symmetrize(fromTriplets({ rows, columns, values: scaled }, [50, 50], 'double'), 'max'),
      );
      reading(path, (stored) => sameGraph(stored.toGraph(), expected));
    }
  }));

test('what is no graph is refused by name, and leaves nothing', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    const refuse = async (name: string, text: string, pattern: RegExp, options = {}): Promise<void> => {
      await rejects(() => storeGraph(put(folder, name, text), path, options), pattern);
      assert.not.ok(existsSync(path), `${name}: ${text}`);
    };
    await refuse('a.csv', '0,1\n1,x\n', /two nodes and optionally a finite weight on line 2, got 1,x/);
    await refuse('a.csv', '0,1,1e999\n', /finite weight on line 1/);
    await refuse('a.csv', '0,1,2,3\n', /on line 1, got 0,1,2,3/);
    await refuse('a.csv', 'from,to\nfrom,to\n', /on line 2, got from,to/);
    await refuse('a.csv', '-1,2\n0,1\n', /on line 1, got -1,2/);
    await refuse('a.csv', '"0","1"\n0,1\n', /on line 1, got "0","1"/);
    await refuse('a.csv', '0,1,-2\n', /weights that are not negative, got -2 at \(0, 1\)/);
    await refuse('a.csv', '0,4000000000\n', /nodes from 0 to 2147483645 on line 1/);
    await refuse('a.csv', '', /at least one node, got a file without entries/);
    await refuse('a.csv', '0,7\n', /size of at least 8 nodes, got 3/, { size: 3 });
    await refuse('a.csv', '0,1\n', /memory of at least 16777216 bytes, got 5/, { memory: 5 });
    await refuse('a.csv', '0,1,1\n1,2,1e-50\n', /weights that single precision can hold, got 1e-50/);
    await refuse('a.dat', '0,1\n', /a file of entries \(\.mtx, /);
    const market = '%%MatrixMarket matrix coordinate real general\n';
    await refuse('a.mtx', `${market}3 3 1\n1 2 1\n`, /a symmetric matrix, got 1 at \(0, 1\) and 0 at \(1, 0\)/);
    await refuse('a.mtx', `${market}3 2 1\n1 2 1\n`, /a square matrix, got 3×2/);
    await refuse('a.mtx', `${market}3 3 2\n1 2 1\n`, /2 entries, got 1 before the end/);
    await rejects(() => storeGraph(join(folder, 'none.csv'), path), /a file that can be read, got ENOENT/);
  }));

test('a folder with other files or with a graph is refused, and keeps them', () =>
  inFolder(async (folder) => {
    put(folder, 'letter.txt', 'dear');
    await rejects(() => storeGraph(graph, folder), /without other files, got .* with letter\.txt/);
    assert.equal(readdirSync(folder), ['letter.txt']);
    const path = join(folder, 'graph');
    await storeGraph(graph, path);
    await rejects(() => storeGraph(graph, path), /a folder without a stored graph/);
    reading(path, (stored) => sameGraph(stored.toGraph(), graph));
  }));

test('a damaged byte of any file is found when it is read', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    await storeGraph(graph, path);
    for (const name of readdirSync(path)) {
      const size = readFileSync(join(path, name)).length;
      for (const place of [3, Math.floor(size / 2), size - 2]) {
        const copy = join(folder, 'copy');
        cpSync(path, copy, { recursive: true });
        const bytes = readFileSync(join(copy, name));
        bytes[place] ^= 64;
        writeFileSync(join(copy, name), bytes);
        let message = '';
        try {
          reading(copy, (stored) => void (stored.toGraph(), stored.degrees(0, stored.size)));
        } catch (error) {
          ({ message } = error as Error);
        }
        assert.match(message, /^openStoredGraph: expected .*, got /s, `${name}, byte ${place}: ${message}`);
        rmSync(copy, { recursive: true });
      }
    }
  }));

test('a missing array, a shorter one and other versions are refused by name', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'graph');
    await storeGraph(graph, path);
    const withChange = (change: (copy: string) => void, pattern: RegExp): void => {
      const copy = join(folder, 'copy');
      cpSync(path, copy, { recursive: true });
      change(copy);
      assert.throws(() => openStoredGraph(copy), pattern);
      rmSync(copy, { recursive: true });
    };
    const wayOut = 'Make the folder anew, or copy it again\\.$';
    for (const name of readdirSync(path)) {
      const file = name.replace('.', '\\.');
      withChange((copy) => rmSync(join(copy, name)), new RegExp(`${file} of .*, got no such file\\. ${wayOut}`));
      for (const bytes of [0, 100, 130]) {
        const got = name.endsWith('.npy') ? `${file} of \\d+ bytes, got ${bytes}` : `JSON in .*${file}, got .*`;
        withChange((copy) => truncateSync(join(copy, name), bytes), new RegExp(`${got}\\. ${wayOut}`));
      }
    }
    const editHeader = (edit: (text: string) => string) => (copy: string) => {
      const file = join(copy, 'specnet-graph.json');
      writeFileSync(file, edit(readFileSync(file, 'utf8')));
    };
    withChange(
      editHeader((text) => text.replace('"version": 1', '"version": 2')),
      /version 1 of .*, got 2/,
    );
    withChange(
      editHeader((text) => text.replace('specnet-graph"', 'other"')),
      /the format 'specnet-graph'.*got other/,
    );
    withChange(
      editHeader((text) => text.replace('"size": 3000', '"size": 2999')),
      /undamaged .*, got a wrong checksum/,
    );
    assert.throws(() => openStoredGraph(folder), /specnet-graph\.json of a complete graph, got no such file/);
    assert.throws(() => openStoredGraph(join(folder, 'none')), /the folder of a stored graph/);
  }));

test('rows of a foreign folder with right checksums are checked', () =>
  inFolder(async (folder) => {
    const { GraphWriter } = await import('../../lib/storage/graph/graph-writer.ts');
    const { canonical } = await import('../../lib/sparse/csr.ts');
    const writer = new GraphWriter(folder, 'single');
    writer.append(canonical(2, 2, Int32Array.of(0, 1, 2), Int32Array.of(1, 7), Float32Array.of(1, 1)));
    writer.finish(1);
    assert.throws(() => reading(folder, (stored) => stored.toGraph()), /columns from 0 to 1, got 7 in row 1/);
  }));

function npyBytes(descr: string, shape: readonly number[], data: Float64Array): Uint8Array {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`.padEnd(117);
  const header = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text}\n`, 'latin1');
  return Buffer.concat([header, new Uint8Array(data.buffer)]);
}

test('a byte order mark does not hide the first edge', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'edges.txt', '\ufeff0 1 2\n1 2 3\n');
    assert.is((await storeGraph(file, join(folder, 'graph'))).nonzeros, 4);
  }));

test.run();
