import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { ByteCursor } from '../../lib/formats/bytes/decimal.ts';

const test = suite('decimal');

const cursorAt = (text: string) => new ByteCursor(new TextEncoder().encode(`${text}\n`));

/** The number, and how many characters it took. */
function read(text: string): [number, number] {
  const cursor = cursorAt(text);
  return [cursor.decimal(), cursor.at];
}

function assertBits(text: string): void {
  const [value, length] = read(text);
  assert.ok(Object.is(value, Number(text)), `${text}: ${value}, not ${Number(text)}`);
  assert.is(length, text.length, text);
}

test('every way to write a number gives the bits that Number gives', () => {
  const plain = `
    0 -0 +0 1 -1 007 1. .5 -.5e1 0.1 1e5 1E5 1e+5 1e-5 123.456e-7 9007199254740991 9007199254740992
    9007199254740993 9007199254740993e0 0.30000000000000004 1e22 1e23 1e-22 1e-23 8.5e22 9007199254740991e22
    9007199254740991e-22 1.7976931348623157e308 5e-324 2e-324 4.9406564584124654e-324 2.2250738585072014e-308
    1e-400 1e400 -1e400 0e999 0.000000000000000000000000000000000001 123456789012345678901234567890
    1.00000000000000000000000000001 179769313486231580793728971405301e276 2.2250738585072011e-308
    1e0000000000000000000001 1e-0000000000000001`;
  const long = [`0.${'0'.repeat(400)}1`, `1${'0'.repeat(400)}`, `${'9'.repeat(40)}.${'9'.repeat(40)}e-40`];
  for (const text of [...plain.trim().split(/\s+/), ...long]) assertBits(text);
});

test('random doubles and decimals are read to the bit, with few digits and with many', () => {
  const random = new Random('digits');
  const bits = new DataView(new ArrayBuffer(8));
  for (let round = 0; round < 20_000; round++) {
    bits.setUint32(0, random.integer(0x7fffffff));
    bits.setUint32(4, random.integer(0x7fffffff));
    const value = bits.getFloat64(0);
    if (!Number.isFinite(value)) continue;
    assertBits(String(value));
    const near = random.uniform(-1, 1) * 10 ** random.integer(30);
    assertBits(near.toPrecision(1 + random.integer(21)));
    assertBits(near.toExponential(random.integer(21)));
  }
});

test('the letters of Fortran are exponents too', () => {
  assert.equal(read('1.5D+03'), [1500, 7]);
  assert.equal(read('1.5d-2'), [0.015, 6]);
  assert.equal(read('123456789012345678901D-30'), [Number('123456789012345678901e-30'), 25]);
});

test('text that is not a number is NaN, and reading stops at the end of a number', () => {
  for (const text of ['', '-', '+', '.', '-.', 'e5', 'nan', 'inf', 'Infinity', '1e', '1e+', '1d', '--1', '+-1']) {
    assert.ok(Number.isNaN(read(text)[0]), text);
  }
  assert.equal(read('12x'), [12, 2]);
  assert.equal(read('0x10'), [0, 1]);
  assert.equal(read('1.5.2'), [1.5, 3]);
  assert.equal(read('1 2'), [1, 1]);
  assert.equal(read('1_000'), [1, 1]);
});

test('whole numbers have digits only', () => {
  const whole = (text: string) => cursorAt(text).whole();
  assert.equal(
    [whole('0'), whole('0012'), whole('4294967296'), whole('9007199254740991')],
    [0, 12, 2 ** 32, 2 ** 53 - 1],
  );
  assert.equal([whole(''), whole('-1'), whole('+1'), whole('x'), whole(' 1')], [-1, -1, -1, -1, -1]);
  const cursor = cursorAt('12.5');
  assert.equal([cursor.whole(), cursor.at], [12, 2]);
});

test('blanks and tabs are passed, line ends are not', () => {
  const cursor = cursorAt(' \t 5');
  assert.is(cursor.skipBlanks(), true);
  assert.is(cursor.at, 3);
  assert.is(cursor.skipBlanks(), false);
  const ended = cursorAt('');
  assert.is(ended.skipBlanks(), false);
  assert.is(ended.at, 0);
});

test.run();
