/** Tries of sparse matrices: NPZ archives rebuilt from changed arrays with right checksums, and Matrix Market. */

import { type CsrMatrix, type Random } from '../../../../lib/index.ts';
import { readMatrixMarket, readNpz } from '../../../../lib/doors/formats.ts';
import { writeNpy, writeNpyText } from '../../../../lib/formats/numpy/npy.ts';
import { writeZip } from '../../../../lib/formats/numpy/zip.ts';
import { referenceRead } from '../../../formats/matrix-market-reference.ts';
import { byteMutations, mutate, textMutations } from '../../../formats/mutations.ts';
import { bytesOf, npzFixtures } from '../../../sparse/fixtures.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick, requireSame } from '../kind.ts';
import type { Reading } from '../reader.ts';
import { anyNpy } from './arrays.ts';

export async function openNpz({ reader }: Means): Promise<Kind> {
  const archives = Object.values(npzFixtures).map(bytesOf);
  return {
    async attempt(random) {
      const bytes =
        random.integer(3) === 0 ? mutate(random, pick(random, archives), byteMutations) : await anyNpz(random);
      const read = await attempted(() => readNpz(bytes, { precision: 'double' }));
      if (!read) return 'refused';
      return reader ? compare(read, await reader.read('npz', bytes)) : 'accepted';
    },
  };
}

/** Stays below what a header may claim without numbers. */
const maxDimension = 5000;

export async function openMatrixMarket({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const text = anyMatrixMarket(random);
      const bytes = random.integer(4) === 0 ? text : mutate(random, text, textMutations);
      const read = await attempted(() => readMatrixMarket(bytes, { precision: 'double', maxDimension }));
      const plain = referenceRead(new TextDecoder('latin1').decode(bytes), maxDimension);
      if (!read && plain) throw new Misread('refused, but a plain reader of lines accepts it');
      if (!read) return 'refused';
      if (!plain) throw new Misread('accepted, but a plain reader of lines refuses it');
      const summed = new Map<string, number>();
      for (const [i, j, value] of plain.entries) summed.set(`${i},${j}`, (summed.get(`${i},${j}`) ?? 0) + value);
      const sorted = [...summed]
        .map(([place, value]) => [...place.split(','), value].map(Number))
        .filter(([, , value]) => value !== 0)
        .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      const numbers = Float64Array.from([0, 1, 2].flatMap((part) => sorted.map((entry) => entry[part])));
      compare(read, { shape: [plain.rows, plain.cols], numbers, facts: null });
      // SciPy crashes at some matrices without rows or columns.
      if (!reader || read.rows * read.cols === 0) return 'accepted';
      return compare(read, await reader.read('mtx', new TextEncoder().encode(forScipy(bytes))));
    },
  };
}

/** SciPy ignores exponents with D (1D3 is 1000 for Fortran), and in files of integers everything after the digits. */
function forScipy(bytes: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(bytes).replace(/(?<=\d\.?)[dD](?=[-+]?\d)/g, 'e');
  return text.replace(/^([^\n]*)integer/i, '$1real');
}

/** Compares rows, columns and values of the nonzeros. Stored zeros are no part of the matrix for SciPy. */
function compare(read: CsrMatrix, expected: Reading | null): Outcome {
  if (!expected) return 'unread';
  if (`${read.rows},${read.cols}` !== expected.shape.join()) {
    throw new Misread(`shape ${read.rows},${read.cols} instead of ${expected.shape}`);
  }
  const [rows, columns, values]: number[][] = [[], [], []];
  for (let i = 0; i < read.rows; i++) {
    for (let e = read.starts[i]; e < read.starts[i + 1]; e++) {
      if (read.values[e] === 0) continue;
      rows.push(i);
      columns.push(read.columns[e]);
      values.push(read.values[e]);
    }
  }
  requireSame([...rows, ...columns, ...values], expected.numbers, 'nonzeros');
  return 'accepted';
}

/** The arrays of a matrix, some of them changed or replaced, in an archive with right sizes and checksums. */
async function anyNpz(random: Random): Promise<Uint8Array> {
  const [rows, cols] = [random.integer(5), random.integer(5)];
  const [starts, columns]: [number[], number[]] = [[0], []];
  for (let i = 0; i < rows; i++) {
    for (let e = cols === 0 ? 0 : random.integer(4); e > 0; e--) columns.push(random.integer(cols));
    starts.push(columns.length);
  }
  const values = columns.map(() => pick(random, [1, -2.5, 0, -0, 1e300, 5e-324, random.normal()]));
  const shape = [rows, cols];
  for (const list of [starts, columns, shape]) {
    if (list.length > 0 && random.integer(8) === 0)
      list[random.integer(list.length)] = pick(random, [-1, 0, 1, 3, 7, 2 ** 31 - 1]);
  }
  const whole = (list: number[]): Uint8Array =>
    random.integer(5) === 0
      ? writeNpy(Float64Array.from(list), [list.length])
      : writeNpy(Int32Array.from(list), [list.length]);
  const data = pick(random, [Float64Array, Float32Array, Int8Array, Int32Array, Uint8Array]).from(values);
  const files = [
    { name: 'indices.npy', bytes: whole(columns) },
    { name: 'indptr.npy', bytes: whole(starts) },
    {
      name: 'format.npy',
      bytes: writeNpyText(random.integer(15) === 0 ? pick(random, ['csc', 'coo', 'CSR', 'csrx']) : 'csr'),
    },
    { name: 'shape.npy', bytes: whole(shape) },
    { name: 'data.npy', bytes: writeNpy(data, [data.length]) },
  ];
  const chosen = files[random.integer(files.length)];
  const change = random.integer(10);
  if (change === 0) chosen.bytes = anyNpy(random);
  if (change === 1) chosen.bytes = mutate(random, chosen.bytes, byteMutations);
  if (change === 2) chosen.bytes = mutate(random, chosen.bytes, textMutations);
  if (change === 3) chosen.name = pick(random, ['data', 'data.npy', 'x.npy', '../data.npy', 'Data.npy', '']);
  if (change === 4) files.splice(random.integer(files.length), 1);
  if (change === 5) files.push({ name: chosen.name, bytes: anyNpy(random) });
  const archive = await writeZip('campaign', files);
  return random.integer(6) === 0 ? mutate(random, archive, byteMutations) : archive;
}

function anyMatrixMarket(random: Random): Uint8Array {
  const isArray = random.integer(4) === 0;
  const field = pick(random, ['real', 'real', 'integer', 'double', ...(isArray ? [] : ['pattern'])]);
  const symmetry = pick(random, ['general', 'general', 'symmetric', 'skew-symmetric']);
  const rows = random.integer(6);
  const cols = symmetry === 'general' ? random.integer(6) : rows;
  const end = pick(random, ['\n', '\n', '\r\n']);
  const value = (): string =>
    field === 'integer'
      ? String(random.integer(40) - 20)
      : pick(random, ['1', '-0', '.5', '1e-300', '2.5E+2', '1D3', String(random.normal())]);
  const lines = [`%%MatrixMarket matrix ${isArray ? 'array' : 'coordinate'} ${field} ${symmetry}`];
  if (random.integer(3) === 0) lines.push('% a comment', '');
  if (isArray) {
    const skew = symmetry === 'skew-symmetric' ? 1 : 0;
    const count = symmetry === 'general' ? rows * cols : (rows * (rows + 1 - 2 * skew)) / 2;
    lines.push(`${rows} ${cols}`, ...Array.from({ length: count }, value));
  } else {
    const count = rows * cols === 0 ? 0 : random.integer(8);
    lines.push(`${rows} ${cols} ${count}`);
    for (let e = 0; e < count; e++) {
      const [i, j] = [1 + random.integer(rows), 1 + random.integer(cols)];
      lines.push(`${i} ${j}${field === 'pattern' ? '' : ` ${value()}`}`);
    }
  }
  return new TextEncoder().encode(lines.join(end) + pick(random, [end, '', end + end]));
}
