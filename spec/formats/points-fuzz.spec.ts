import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { type Dataset } from '../../datasets/index.ts';
import { readCsv, readIdx, readPoints, writeIdx } from '../../lib/doors/formats.ts';
import { byteMutations, mutate, textMutations } from './mutations.ts';
import { chunks } from './sources.ts';

const test = suite('datasets fuzz');

/** The result, or the message if the library rejected the file with its own message. Anything else fails. */
async function attempt<T>(caller: string, shown: string, reading: Promise<T>): Promise<T | string> {
  try {
    return await reading;
  } catch (error) {
    const ours = error instanceof RangeError || error instanceof TypeError;
    assert.ok(ours && error.message.startsWith(`${caller}: expected `), `${String(error)} for ${shown}`);
    return error.message;
  }
}

const texts = [
  'x,y,kind\n1.5,-2e-3,oak\n4,.25,"a ""b"", c"\n# comment\n\n7,8,oak\n',
  '1;2;3\r\n4;5;6\r\n"7";8;9\r\n',
  '1 2\n  3   4\n5 6',
  '\ufeffa\tb\n1\t2\n3\t4.125\n',
  '5.1,3.5,setosa\n4.9,3.0,"versi\ncolor"\n',
].map((text) => new TextEncoder().encode(text));

test('damaged CSV is read or refused, the same as a whole and in pieces', async () => {
  const random = new Random('csv');
  let accepted = 0;
  for (let round = 0; round < 3000; round++) {
    const bytes = mutate(random, texts[round % texts.length], textMutations);
    const options = round % 3 === 0 ? { label: -1 } : {};
    const shown = JSON.stringify(new TextDecoder('latin1').decode(bytes));
    const whole = await attempt('readCsv', shown, readCsv(bytes, options));
    const pieces = await attempt('readCsv', shown, readCsv(chunks(bytes, 1 + random.integer(5)), options));
    assert.equal(pieces, whole, shown);
    if (typeof whole === 'string') continue;
    accepted++;
    assert.ok(whole.points.data.every(Number.isFinite), shown);
    assert.is(whole.labels?.length ?? whole.points.rows, whole.points.rows);
  }
  assert.ok(accepted > 300 && accepted < 2700, `${accepted}`);
});

test('damaged IDX is read in the shape of its header, or refused', async () => {
  const random = new Random('idx');
  const files = [
    writeIdx(
      Uint8Array.from({ length: 12 }, (_, i) => i),
      [3, 4],
    ),
    writeIdx(Float32Array.of(1, 2, 3), [3]),
    writeIdx(Float64Array.of(1, 2), [1, 2, 1]),
    writeIdx(Int16Array.of(1, 2, 3, 4), [2, 2]),
  ];
  let accepted = 0;
  for (let round = 0; round < 4000; round++) {
    const bytes = mutate(random, files[round % files.length], byteMutations);
    const read = await attempt('readIdx', bytes.join(' '), readIdx(bytes));
    if (typeof read === 'string') continue;
    accepted++;
    assert.is(
      read.data.length,
      read.shape.reduce((a, b) => a * b, 1),
    );
    assert.ok(read.data.byteLength <= bytes.length);
  }
  assert.ok(accepted > 300 && accepted < 3700, `${accepted}`);
});

test('damaged files of any kind, also compressed, give points or an error message', async () => {
  const random = new Random('points');
  const files = [...texts, writeIdx(Int32Array.of(1, 2, 3, 4), [2, 2])].flatMap((bytes) => [bytes, gzipSync(bytes)]);
  const results: (Dataset | string)[] = [];
  for (let round = 0; round < 1500; round++) {
    const bytes = mutate(random, files[round % files.length], byteMutations);
    results.push(await attempt('readPoints', bytes.join(' '), readPoints(bytes)));
  }
  const refused = results.filter((result) => typeof result === 'string').length;
  assert.ok(refused > 150 && refused < 1450, `${refused}`);
});

test.run();
