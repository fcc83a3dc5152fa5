/** Charts show what their descriptions say. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { drawFigure } from '../../lib/charts/chart.ts';
import { colors, type Figure, type LinePanel, type Series } from '../../lib/charts/figure.ts';
import { placeLabels } from '../../lib/charts/label-placement.ts';
import { chartStyle } from '../../lib/charts/palette.ts';
import { dotsAt, lineThrough } from '../../lib/charts/path.ts';
import { scaleOf, tickLabels } from '../../lib/charts/scale.ts';

const test = suite('charts');

test('an axis holds all values, in order, with ticks among them', () => {
  for (const scale of ['linear', 'log'] as const) {
    for (const values of [
      [1, 10],
      [0.003, 0.7, 0.02],
      [5, 5],
      [1e-9, 1e3],
      [120, 118.5],
      [-1.79, -1.68],
    ].filter((list) => scale === 'linear' || list.every((value) => value > 0))) {
      const { at, ticks, from, to } = scaleOf({ label: '', scale }, values);
      const places = values.toSorted((a, b) => a - b).map(at);
      assert.ok(
        places.every((place, i) => place >= 0 && place <= 1 && (i === 0 || place >= places[i - 1])),
        `${values}`,
      );
      assert.ok(
        ticks.length >= (new Set(values).size === 1 ? 1 : 3) && ticks.length <= 12,
        `${scale} ${values}: ${ticks}`,
      );
      assert.ok(
        ticks.every((tick, i) => tick >= from && tick <= to && (i === 0 || tick > ticks[i - 1])),
        `${ticks}`,
      );
    }
  }
});

test('equal factors are equal lengths on a logarithmic axis, and values that it cannot show have no position', () => {
  const { at } = scaleOf({ label: '', scale: 'log' }, [1e-4, 1, 0, -2, NaN]);
  assert.ok(Math.abs(at(1e-3) - at(1e-4) - (at(1) - at(0.1))) < 1e-12);
  assert.ok(Number.isNaN(at(0)) && Number.isNaN(at(-1)));
});

test('ticks are short', () => {
  assert.equal(tickLabels([0, 0.25, -3, 20_000, 3e-7]), ['0', '0.25', '-3', '20k', '3e-7']);
});

test('thousands are written in one way along an axis', () => {
  assert.equal(tickLabels([1000, 10_000, 100_000]), ['1000', '10k', '100k']);
  assert.equal(tickLabels([1000, 300_000, 1e6, 3e6]), ['1000', '3e5', '1e6', '3e6']);
});

const line = (series: Partial<Series>, panel: Partial<LinePanel> = {}): Figure => ({
  name: 'one',
  title: 'a < b & "c"',
  caption: '',
  panels: [
    {
      kind: 'lines',
      title: 'panel',
      x: { label: 'epoch' },
      y: { label: 'error', scale: 'log' },
      series: [
        { name: 'first', color: 'blue', x: [1, 2, 3, 4], y: [1, 0.1, 0, 0.01], ...series },
        { name: 'second', color: 'ink', x: [1, 4], y: [0.5, 0.5], dash: 'dotted' },
      ],
      ...panel,
    },
  ],
});

test('a curve has a gap where a logarithm cannot show a value; titles, axes and legend are there, escaped', () => {
  const svg = drawFigure(line({}), true);
  const [path] = svg.match(/ d="[^"]*" fill="none" stroke="var\(--blue\)"/)!;
  assert.is(path.match(/m/g)!.length, 2);
  for (const text of ['a &lt; b &amp; &quot;c&quot;', '>epoch<', '>error<', '>first<', '>second<', '>panel<']) {
    assert.ok(svg.includes(text), text);
  }
  assert.not.match(svg, /NaN|undefined|<script|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
});

test('a band is a closed path, and bars are at their values', () => {
  const spread = { low: [0.5, 0.05, 0.01, 0.005], high: [1, 0.2, 0.1, 0.02], y: [0.9, 0.1, 0.05, 0.01] };
  const band = drawFigure(line(spread), false).match(/ d="(m[^"]*z)" fill="var\(--blue\)"/)![1];
  assert.is(band.split('l').length, 8);
  const bars = drawFigure(line({ ...spread, spread: 'bars' }), false).match(/ d="([^"]*)" stroke="var\(--blue\)"/)![1];
  assert.is(bars.split('m').length - 1, 4);
  const one = drawFigure(line({ ...spread, high: spread.low }), false);
  assert.not.match(one, /fill="var\(--blue\)"/, 'one replica has no band');
});

test('marks have shapes, the same in the legend, and are hollow where a line would be dashed', () => {
  const one = { x: [1, 2, 3], y: [1, 0, 0.1], marks: true } as const;
  const svg = drawFigure(line({}, { series: [{ name: 'a', color: 'blue', dash: 'dashed', ...one }, { name: 'b', color: 'ink', shape: 'square', ...one }] }), false); // oxfmt-ignore
  const marks = [...svg.matchAll(/<path d="([^"]*)" fill="([^"]*)"/g)].map(([, path, fill]) => ({ path, fill }));
  assert.equal(marks.map(({ fill }) => fill), ['none', 'var(--ink)', 'none', 'var(--ink)']); // oxfmt-ignore
  assert.equal(marks.map(({ path }) => path.split('M').length - 1), [1, 1, 2, 2], 'a logarithm has no place for 0'); // oxfmt-ignore
  assert.equal(marks.map(({ path }) => path.includes('h8v8')), [false, true, false, true]); // oxfmt-ignore
});

test('dotted curves alternate, and bars of two curves stand side by side', () => {
  const flat = { dash: 'dotted', x: [1, 60], y: [0.5, 0.5] } as const;
  const dotted = drawFigure(line({}, { series: [{ name: 'a', color: 'blue', ...flat }, { name: 'b', color: 'ink', ...flat }] }), false); // oxfmt-ignore
  assert.match(dotted, /stroke="var\(--blue\)"[^>]* stroke-dasharray="30 70" stroke-dashoffset="0"/);
  assert.match(dotted, /stroke="var\(--ink\)"[^>]* stroke-dasharray="30 70" stroke-dashoffset="-50"/);
  const x = Array.from({ length: 60 }, (_, i) => i + 1);
  const barred = {
    spread: 'bars',
    x,
    y: x,
    low: x.map((value) => value / 2),
    high: x.map((value) => 2 * value),
  } as const;
  const bars = drawFigure(line({}, { series: [{ name: 'a', color: 'blue', ...barred }, { name: 'b', color: 'ink', ...barred }] }), false); // oxfmt-ignore
  const starts = [...bars.matchAll(/ d="m(\d+)[^"]*" stroke="/g)].map((match) => Number(match[1]));
  assert.is(starts.length, 2);
  assert.ok(Math.abs(starts[0] - starts[1]) > 50, `${starts}`);
});

test('a path omits only points that are not visible', () => {
  assert.is(lineThrough([[0, 0], [1, 1.1], [2, 2], [3, 3.1], [4, 9], [5, 0]]), 'm0 0l30 31l10 59l10-90'); // oxfmt-ignore
  const points = Array.from({ length: 400 }, (_, i): [number, number] => [i, 100 * Math.sin(i / 20) + (i % 7) / 10]);
  const kept: [number, number][] = [];
  let [x, y] = [0, 0];
  for (const step of lineThrough(points).match(/[ml]-?\d+[ -]\d+/g)!) {
    const [dx, dy] = step.slice(1).match(/-?\d+/g)!.map(Number);
    [x, y] = [x + dx / 10, y + dy / 10];
    kept.push([x, y]);
  }
  assert.ok(kept.length < 300, `${kept.length}`);
  for (const [at, height] of points) {
    const next = kept.findIndex(([place]) => place >= at);
    const [[a, b], [c, d]] = [kept[Math.max(0, next - 1)], kept[next]];
    const level = c === a ? d : b + ((d - b) * (at - a)) / (c - a);
    assert.ok(Math.abs(level - height) < 2, `${at}: ${level} for ${height}`);
  }
});

test('steps of a path add up to the places', () => {
  assert.is(lineThrough([[1, 2], [1.25, 1], [NaN, 0], [3, 4]]), 'm10 20l3-10m17 30'); // oxfmt-ignore
  assert.is(dotsAt([[5, 5], [1, 9], [3, NaN]]), 'm10 90h0m40-40h0'); // oxfmt-ignore
  const random = new Random(3);
  const points = Array.from({ length: 200 }, (): [number, number] => [random.uniform(0, 500), random.uniform(0, 300)]);
  let [x, y] = [0, 0];
  for (const [i, step] of lineThrough(points)
    .match(/[ml]-?\d+[ -]\d+/g)!
    .entries()) {
    const [dx, dy] = step.slice(1).match(/-?\d+/g)!.map(Number);
    [x, y] = [x + dx / 10, y + dy / 10];
    assert.ok(Math.abs(x - points[i][0]) < 0.051 && Math.abs(y - points[i][1]) < 0.051, `point ${i}`);
  }
});

test('a cloud has a dot for each point, and names where they are asked for; shades use the whole ramp', () => {
  const axes = { x: { label: 'x' }, y: { label: 'y' } };
  const [x, y] = [
    [0, 1, 2],
    [3, 4, 5],
  ];
  const clouds = [{ name: '7', color: 'green' as const, x, y }];
  const named = drawFigure(
    { name: '', title: '', caption: '', panels: [{ kind: 'cloud', title: '', ...axes, clouds, labeled: true }] },
    false,
  );
  assert.is(named.match(/h0/g)!.length, 3);
  assert.match(named, /class="name"[^>]*>7</);
  const shaded = drawFigure(
    {
      name: '',
      title: '',
      caption: '',
      panels: [{ kind: 'shaded', title: '', ...axes, px: x, py: y, shade: [-1, 0, 5], square: true }],
    },
    false,
  );
  assert.match(shaded, /stroke="var\(--ramp0\)"/);
  assert.match(shaded, /stroke="var\(--ramp7\)"/);
});

test('labels are placed at or near their points, without overlap and within the frame', () => {
  const room = { left: 60, right: 260, top: 30, bottom: 190 };
  const size = [10, 13] as const;
  const distant = [[100, 100], [150, 100], [100, 150]] as const; // oxfmt-ignore
  assert.equal(placeLabels(distant, size, room), distant);
  const crowd = Array.from({ length: 10 }, (_, i) => [61 + i / 10, 31] as const);
  const places = placeLabels(crowd, size, room);
  for (const [i, [x, y]] of places.entries()) {
    assert.ok(x >= 65 && x <= 255 && y >= 36.5 && y <= 183.5, `${x}, ${y}`);
    assert.ok(Math.hypot(x - crowd[i][0], y - crowd[i][1]) < 60, 'not far from where it belongs');
    assert.ok(
      places.every(([a, b], j) => i === j || Math.abs(x - a) >= 10 || Math.abs(y - b) >= 13),
      `${i}`,
    );
  }
});

test('cells of a matrix are colored by sign, and faint where they are not seen', () => {
  const svg = drawFigure(
    {
      name: '',
      title: '',
      caption: '',
      panels: [{ kind: 'matrix', title: '', size: 2, values: [1, -1, 0, 1], seen: [true, true, true, false] }],
    },
    false,
  );
  assert.match(svg, /stroke="var\(--blue\)" opacity="1\.00" d="M0 0h1"/);
  assert.match(svg, /stroke="var\(--orange\)" opacity="1\.00" d="M1 0h1"/);
  assert.match(svg, /stroke="var\(--blue\)" opacity="0\.14" d="M1 1h1"/);
});

test('cells beside each other are one stroke, which ends with the row', () => {
  const panel = {
    kind: 'matrix',
    title: '',
    size: 3,
    values: [0, 1, 1, 1, 1, 0, 0, 0, 0],
    seen: Array(9).fill(true),
  } as const;
  const svg = drawFigure({ name: '', title: '', caption: '', panels: [panel] }, false);
  assert.match(svg, / d="M1 0h2M0 1h2"/);
});

test('every color is there for light and for dark', () => {
  const [light, dark] = chartStyle.split('@media (prefers-color-scheme: dark)');
  for (const color of colors) {
    assert.match(light, new RegExp(`--${color}: #`));
    assert.match(dark, new RegExp(`--${color}: #`));
  }
  assert.is(new Set(colors).size, colors.length);
});

test.run();
