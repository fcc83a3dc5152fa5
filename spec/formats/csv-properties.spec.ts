import * as fc from 'fast-check';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor } from '../../lib/index.ts';
import { dataset } from '../../datasets/index.ts';
import { readCsv, type Separator, streamCsv, writeCsv } from '../../lib/doors/formats.ts';
import { nearestDouble } from '../../lib/formats/csv/decimal.ts';
import { isNumber } from '../../lib/formats/csv/fields.ts';
import { separators } from '../../lib/formats/csv/layout.ts';
import { refusal } from './sources.ts';

const test = suite('csv properties');

const seeded = { seed: 20, numRuns: 300 };

/** Names made of characters that readers often mishandle. */
const names = fc.string({ unit: fc.constantFrom(...'ab",;\t \n\r#1.é日\ufeff'), maxLength: 6 });
const anySeparator = fc.constantFrom<Separator>(...separators);

/** Chunks that end at these positions. */
function* cutAt(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  const ends = [...new Set([...places.map((place) => Math.floor(place * bytes.length)), bytes.length])];
  let from = 0;
  for (const end of ends.toSorted((a, b) => a - b)) {
    yield bytes.slice(from, end);
    from = end;
  }
}

/** Equal bit for bit, including the signs of zeros. */
function sameBits(a: Float32Array | Float64Array, b: Float32Array | Float64Array): void {
  assert.is(a.constructor, b.constructor);
  assert.ok(a.length === b.length && a.every((x, i) => Object.is(x, b[i])), `${a} | ${b}`);
}

test('written files are read back with the same bits and names, in pieces of any size', async () => {
  const double = fc.double({ noDefaultInfinity: true, noNaN: true });
  const single = fc.float({ noDefaultInfinity: true, noNaN: true });
  const cases = fc.record({
    precision: fc.constantFrom<'single' | 'double'>('single', 'double'),
    singles: fc.array(single, { minLength: 6, maxLength: 6 }),
    doubles: fc.array(double, { minLength: 6, maxLength: 6 }),
    columns: fc.uniqueArray(names, { minLength: 2, maxLength: 2 }),
    labelNames: fc.uniqueArray(
      names.map((name) => `k${name}`),
      { minLength: 3, maxLength: 3 },
    ),
    separator: anySeparator,
    places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ precision, singles, doubles, columns, labelNames, separator, places }) => {
      const points = tensor({ data: precision === 'single' ? singles : doubles, shape: [3, 2] }, precision);
      const source = dataset({
        name: 'n',
        points,
        labels: Int32Array.of(2, 0, 1),
        labelNames: labelNames.toSorted(),
        columnNames: columns,
      });
      const bytes = await writeCsv(source, { separator });
      const read = await readCsv(cutAt(bytes, places), { name: 'n', separator, precision, header: true, label: -1 });
      sameBits(read.points.data, points.data);
      assert.equal(read, source);
    }),
    seeded,
  );
});

test('fields that another program wrote, always quoted or not, mean the same', async () => {
  const cases = fc.record({
    rows: fc.array(fc.tuple(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.boolean(), names), {
      minLength: 1,
      maxLength: 5,
    }),
    separator: anySeparator,
    lineEnd: fc.constantFrom('\n', '\r\n'),
    places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, separator, lineEnd, places }) => {
      const texts = rows.map(([x, quoted, name]) => {
        const number = Object.is(x, -0) ? '-0' : String(x);
        return `${quoted ? `"${number}"` : number}${separator}"k${name.replaceAll('"', '""')}"`;
      });
      const bytes = new TextEncoder().encode(texts.join(lineEnd));
      const read = await readCsv(cutAt(bytes, places), { separator, precision: 'double', label: 1 });
      sameBits(
        read.points.data,
        Float64Array.from(rows, ([x]) => x),
      );
      assert.equal(
        Array.from(read.labels!, (label) => read.labelNames![label]),
        rows.map(([, , name]) => `k${name}`),
      );
    }),
    seeded,
  );
});

test('numbers in every spelling equal those of Number, in plain rows and in quotes', async () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 25 });
  const spelling = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits,
      fc.constantFrom('', '.'),
      digits,
      fc.constantFrom('', 'e', 'E-', 'e+'),
      fc.integer({ min: 0, max: 330 }),
    )
    .map(([sign, whole, point, part, letter, power]) => `${sign}${whole}${point}${part}${letter && letter + power}`)
    .filter((text) => isNumber(text) && Number.isFinite(Number(text)));
  const read = async (text: string) => (await readCsv(text, { precision: 'double', separator: ',' })).points.data[0];
  await fc.assert(
    fc.asyncProperty(spelling, async (text) => {
      assert.ok(Object.is(await read(text), Number(text)), text);
      assert.ok(Object.is(await read(`"${text}"`), Number(text)), text);
    }),
    { ...seeded, numRuns: 2000 },
  );
});

test('decimals of up to thirty digits, also next to the midpoint of two doubles, round as Number does', () => {
  const random = new Random('decimals');
  const big = (bits: number) => BigInt(Math.floor(random.uniform(0, 2 ** bits)));
  const check = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    assert.is(nearestDouble(bytes, 0, bytes.length, Number(text.split('e')[1])), Number(text), text);
  };
  for (let round = 0; round < 30_000; round++) {
    const middle = (2n * (2n ** 53n + big(52)) + 1n) * 2n ** big(5) + BigInt(random.integer(3) - 1);
    const text = `${round % 2 === 0 ? middle : big(50) * 10n ** 15n + big(50)}e${random.integer(130) - 65}`;
    check(text);
    // The midpoint of two doubles below 1, cut off after thirty digits and after 31: within 2⁻¹⁰⁰ of it.
    const cutOff = ((2n * (2n ** 52n + big(52)) + 1n) * 10n ** 60n) / 2n ** (60n + big(6));
    const length = String(cutOff).length;
    if (length <= 30) continue;
    const thirty = cutOff / 10n ** BigInt(length - 30);
    check(`${thirty}e${length - 90}`);
    check(`${thirty + 1n}e${length - 90}`);
  }
});

test('text that is not a number is refused in plain and quoted fields', async () => {
  const words = fc.string({ unit: fc.constantFrom(...'0159.+-eE_xdn '), minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      words.filter((word) => !isNumber(word.trim())),
      async (word) => {
        for (const text of [`1,2\n3,${word}`, `1,2\n3,"${word}"`]) {
          assert.match(
            await refusal(readCsv(text, { precision: 'double' })),
            /^readCsv: expected a number on line 2, column 2, got '/,
          );
        }
      },
    ),
    seeded,
  );
});

test('singles and doubles are written with the fewest digits', async () => {
  const text = async (values: number[], precision: 'single' | 'double') =>
    new TextDecoder().decode(await writeCsv({ points: tensor([values], precision) }, { header: false }));
  assert.is(
    await text([0.1, 1 / 3, 16777216, -0, 1e-45, 3.4028234663852886e38], 'single'),
    '0.1,0.33333334,16777216,-0,1e-45,3.4028235e+38\n',
  );
  assert.is(
    await text([0.1, 1 / 3, 2 ** 53, -0, 5e-324], 'double'),
    '0.1,0.3333333333333333,9007199254740992,-0,5e-324\n',
  );
});

test('a single that six digits identify is written with six', async () => {
  const random = new Random('digits');
  const texts = Array.from({ length: 20_000 }, () => `${100_000 + random.integer(900_000)}e${random.integer(60) - 35}`);
  const points = tensor({ data: texts.map(Number), shape: [texts.length, 1] });
  const lines = new TextDecoder()
    .decode(await writeCsv({ points }, { header: false }))
    .trimEnd()
    .split('\n');
  for (const [i, line] of lines.entries()) assert.is(Number(line), Number(texts[i]));
});

test('by default a file has a header and labels last; compressed and in pieces it has the same contents', async () => {
  const points = tensor([
    [1, 2],
    [3, 4],
  ]);
  const labels = Int32Array.of(5, -6);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.is(text(await writeCsv({ points, labels })), 'x0,x1,label\n1,2,5\n3,4,-6\n');
  assert.is(text(await writeCsv({ points }, { separator: ';', header: false })), '1;2\n3;4\n');
  assert.is(text(gunzipSync(await writeCsv({ points }, { gzip: true }))), 'x0,x1\n1,2\n3,4\n');
  const named = { points, columnNames: ['a,b', ''], labels: Int32Array.of(1, 0), labelNames: ['"', '#c'] };
  assert.is(text(await writeCsv(named)), '"a,b","",label\n1,2,"#c"\n3,4,""""\n');
  const long = tensor({ data: Float64Array.from({ length: 90_000 }, (_, i) => i), shape: [30_000, 3] });
  const pieces = [...streamCsv({ points: long })];
  assert.ok(pieces.length > 5);
  assert.equal((await readCsv(pieces)).points.data, long.data);
});

test('contents that could not be read back are not written', async () => {
  const points = tensor([[1, NaN]]);
  assert.is(
    await refusal(writeCsv({ points })),
    'writeCsv: expected finite numbers in points, got NaN at row 0, column 1.',
  );
  assert.match(
    await refusal(writeCsv({ points: tensor([[1]]), labels: new Int32Array(2) })),
    /^writeCsv: expected 1 labels/,
  );
  assert.match(
    await refusal(writeCsv({ points: tensor([[1]]) }, { separator: 'x' as ',' })),
    /^writeCsv: expected separator/,
  );
  assert.match(await refusal(writeCsv(null as never)), /^writeCsv: expected a data set, got null/);
});

test.run();
