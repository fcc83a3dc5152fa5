/** The lengths of bars are proportional to their values. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bar, drawBars } from '../../lib/charts/bars.ts';

const test = suite('bars');

const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect [^>]*width="([\d.]+)" height="18"/g)].map(([, width]) => Number(width));
const bar = (name: string, ...values: number[]): Bar => ({
  name,
  pieces: values.map((value, i) => ({ name: `piece ${i}`, color: 'blue', value })),
  text: `${values.length} pieces`,
});

test('lengths are in proportion, pieces follow each other', () => {
  const svg = drawBars('Title', [{ title: 'Chart', axis: { label: 'units' }, bars: [bar('a', 10, 30), bar('b', 80)] }]);
  const [first, second, other] = widths(svg);
  assert.ok(Math.abs(second / first - 3) < 0.01, `${first} ${second}`);
  assert.ok(Math.abs(other / first - 8) < 0.02, `${first} ${other}`);
  const starts = [...svg.matchAll(/<rect x="([\d.]+)" y="34"/g)].map(([, x]) => Number(x));
  assert.ok(Math.abs(starts[1] - starts[0] - first) < 0.2, 'the second begins where the first ends');
});

test('a logarithmic axis begins at one, and bars below it have no length', () => {
  const chart = {
    title: 'Chart',
    axis: { label: 'times', scale: 'log' },
    bars: [10, 100, 0.5].map((value) => bar('x', value)),
  } as const;
  const [ten, hundred, half] = widths(drawBars('Title', [chart]));
  assert.ok(Math.abs(hundred / ten - 2) < 0.01, `${ten} ${hundred}`);
  assert.is(half, 0);
});

test('names are escaped, and each is in the legend once', () => {
  const svg = drawBars('a < b', [{ title: 'x & y', axis: { label: '' }, bars: [bar('<i>', 1, 2), bar('j', 1, 2)] }]);
  assert.not.match(svg, '<i>');
  assert.match(svg, 'x &amp; y');
  assert.is(svg.match(/>piece 1<\/text>/g)?.length, 1);
});

test.run();
