/** The parts of a picture: packed arrays, groups and scales, the eigengap, drawing order, search, zoom and projection. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findRow } from '../../lib/pictures/browser/find.ts';
import { nearestPoint, type Panel, positionOf } from '../../lib/pictures/browser/paint/panel.ts';
import { blend, mixed } from '../../lib/pictures/browser/paint/stamp.ts';
import { View } from '../../lib/pictures/browser/view.ts';
import { describeGap, drawEigenvalues, eigengapOf } from '../../lib/pictures/eigenvalue-chart.ts';
import { classField, fieldOf } from '../../lib/pictures/fields.ts';
import { coloringBy, fractionOf, mostGroups, scaleLabels } from '../../lib/pictures/shared/coloring.ts';
import { markOpacity, markSize } from '../../lib/pictures/shared/coloring.ts';
import { drawOrder } from '../../lib/pictures/shared/draw-order.ts';
import { compact, pack, unpack } from '../../lib/pictures/shared/packed.ts';
import { fieldText, type Field, type Picture } from '../../lib/pictures/shared/picture.ts';

const test = suite('parts of pictures');

test('numbers are packed into the smallest array that keeps them, and unpacked to the bit', () => {
  const cases = [
    [[1, -5, 127], Int8Array],
    [[1, 300], Int16Array],
    [[-70_000], Int32Array],
    [[0.5, 1], Float32Array],
    [[0.5, 2e7], Float64Array],
    [[2 ** 40], Float64Array],
    [[1, NaN], Float32Array],
  ] as const;
  for (const [values, kind] of cases) {
    const packed = compact(values);
    assert.instance(packed, kind);
    const again = unpack(pack(packed));
    assert.instance(again, kind);
    assert.equal(new Uint8Array(again.buffer), new Uint8Array(packed.buffer));
  }
  const long = Float32Array.from({ length: 50_001 }, (_, i) => Math.sin(i));
  assert.equal(unpack(pack(long)), long);
  assert.equal(unpack(pack(long.subarray(3, 7))), long.slice(3, 7));
});

test('classes come in the order of numbers, then of letters; the empty text is none', () => {
  const { classes, codes } = classField('c', ['b', '10', '', '9', 'a', 'b']);
  assert.equal(classes, ['9', '10', 'a', 'b']);
  assert.equal([...codes], [3, 1, 4, 0, 2, 3]);
});

test('texts that repeat are classes, names are not, numbers with gaps stay numbers', () => {
  assert.is(fieldOf('x', 'c', ['a', 'b', 'a', 'b']).kind, 'classes');
  assert.is(fieldOf('x', 'c', ['a', 'b', 'c', 'd']).kind, 'texts');
  const numbers = fieldOf('x', 'c', [1.5, NaN]);
  assert.is(numbers.kind, 'numbers');
  assert.equal([fieldText(numbers, 0), fieldText(numbers, 1)], ['1.5', '']);
});

const pictureOf = (fields: Field[], rows: number): Picture => ({
  title: '',
  rows,
  coordinates: [{ name: 'psi1', values: new Float32Array(rows) }],
  fields,
  ids: null,
  colorBy: null,
  axes: [0, 0],
});

test('every class has a color and a shape of its own; the smallest of too many are one pale group that says so', () => {
  const texts = Array.from({ length: 1000 }, (_, i) => `class ${i < 900 ? i % mostGroups : i}`);
  const picture = pictureOf([classField('c', [...texts, ''])], 1001);
  const coloring = coloringBy(picture, 'c');
  assert.ok(coloring.kind === 'groups');
  const { groups, groupOf } = coloring;
  assert.is(groups.length, mostGroups + 2);
  const looks = groups.map(({ color, shape }) => `${color} ${shape}`);
  assert.is(new Set(looks).size, looks.length);
  assert.equal(groups.slice(-2), [
    { name: '100 smaller classes', count: 100, color: 'pale', shape: 'round' },
    { name: 'no value', count: 1, color: 'pale', shape: 'diamond' },
  ]);
  assert.is(groups[groupOf[5]].name, 'class 5');
  assert.is(groupOf[950], mostGroups);
  assert.is(groups[groupOf[1000]].name, 'no value');
  assert.is(groups.reduce((sum, { count }) => sum + count, 0), 1001); // oxfmt-ignore
});

test('a scale goes from the smallest to the largest value, unless extreme values stretch it, which its labels show', () => {
  const even = Array.from({ length: 1000 }, (_, i) => i);
  const scaleOf = (values: number[]) => {
    const coloring = coloringBy(pictureOf([fieldOf('x', 'c', values)], values.length), 'c');
    assert.ok(coloring.kind === 'scale');
    return coloring;
  };
  assert.equal(scaleLabels(scaleOf(even)), ['0', '500', '999']);
  const stretched = scaleOf([...even, 1e7, NaN]);
  assert.equal(scaleLabels(stretched), ['0', '495', '≥ 990']);
  assert.is(stretched.missing, 1);
  assert.is(fractionOf(stretched, 1e7), 1);
  assert.ok(Number.isNaN(fractionOf(stretched, NaN)));
  assert.is(fractionOf(scaleOf([4, 4, 4]), 4), 0.5);
  assert.ok(Number.isNaN(fractionOf(scaleOf([4, NaN, 4]), NaN)), 'a constant has gaps, too');
});

test('marks are large for few points and small for many, and never too small or too pale to see', () => {
  assert.equal([20, 150].map(markSize), [8, 8]);
  const sizes = [1000, 20_000, 100_000, 1e7].map(markSize);
  assert.ok(sizes[0] > 5 && sizes[0] < 6 && sizes[1] > 2.8 && sizes[1] < 3.2 && sizes[2] > 2.1 && sizes[2] < 2.3);
  assert.is(sizes[3], 2);
  assert.equal([10, 1e7].map(markOpacity), [0.9, 0.4]);
  assert.ok(markOpacity(20_000) > 0.5 && markOpacity(20_000) < 0.7);
});

test('the largest gap counts the trivial eigenvalue, and one that hardly differs from the next is called so', () => {
  const { after, width } = eigengapOf(Float64Array.of(0.99, 0.98, 0.5, 0.45))!;
  assert.is(after, 2);
  assert.ok(Math.abs(width - 0.48) < 1e-12);
  assert.is(describeGap(Float64Array.of(0.99, 0.98, 0.5)), 'Largest gap: 0.480, between λ₂ and λ₃. 3 eigenvalues stand before it, the trivial one counted.'); // oxfmt-ignore
  assert.match(describeGap(Float64Array.of(0.4, 0.3, 0.2)), /between λ₀ and λ₁\. One eigenvalue stands before it/);
  assert.match(describeGap(Float64Array.of(0.9, 0.79, 0.69)), /^No gap stands out\. .* 1\.1 times as wide/);
  assert.is(eigengapOf(Float64Array.of(0.9)), null);
});

test('ascending eigenvalues have no trivial one before them', () => {
  assert.is(eigengapOf(Float64Array.of(0, 0.1, 0.9))!.after, 2);
  assert.is(drawEigenvalues(Float64Array.of(0, 0.1, 0.9), 3).match(/<circle/g)!.length, 3);
  assert.is(drawEigenvalues(Float64Array.of(0.9, 0.1), 1).match(/not a coordinate/g)!.length, 1);
});

test('the chart fills the marks of coordinates alone, and its band reaches from one side of the gap to the other', () => {
  const chart = drawEigenvalues(Float64Array.of(0.95, 0.9, 0.3, 0.2), 2);
  const marks = [...chart.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"[^>]*fill="var\(--(\w+)\)"/g)].map(
    ([, x, y, fill]) => ({ x: Number(x), y: Number(y), fill }),
  );
  assert.equal(
    marks.map(({ fill }) => fill),
    ['page', 'blue', 'blue', 'page', 'page'],
  );
  const [, ...box] = /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="var\(--orange/.exec(
    chart,
  )!;
  const [x, y, width, height] = box.map(Number);
  const [before, behind] = [marks[2], marks[3]];
  for (const [edge, mark] of [
    [x, before.x],
    [y, before.y],
    [x + width, behind.x],
    [y + height, behind.y],
  ]) {
    assert.ok(Math.abs(edge - mark) < 0.2, `${edge} at ${mark}`);
  }
});

test('the drawing order contains every row once, and spreads sorted classes evenly', () => {
  for (const rows of [1, 2, 3, 10, 97, 1000]) {
    assert.equal([...drawOrder(rows)].toSorted((a, b) => a - b), Array.from({ length: rows }, (_, i) => i)); // oxfmt-ignore
  }
  const last = drawOrder(3000).subarray(2700);
  for (let c = 0; c < 3; c++) {
    const count = last.filter((row) => Math.floor(row / 1000) === c).length;
    assert.ok(count > 90 && count < 110, `${count} of class ${c} among the last 300`);
  }
});

test('a search finds the exact name first, then texts that contain the words, starting after the last hit', () => {
  const picture = { ...pictureOf([classField('c', ['red', 'dark red', 'blue', 'red'])], 4), ids: ['a1', 'a', 'b', 'red'] }; // oxfmt-ignore
  assert.is(findRow(picture, 'A', 0), 1);
  assert.is(findRow(picture, 'red', 0), 3);
  assert.is(findRow(picture, 'dark', 0), 1);
  assert.is(findRow({ ...picture, ids: null }, 'red', 1), 1);
  assert.is(findRow({ ...picture, ids: null }, '3', 0), 2);
  assert.is(findRow(picture, 'nothing', 0), -1);
});

const columns = [
  Float32Array.of(-1, 0, 3),
  Float32Array.of(2, 4, 8),
  Float32Array.of(0, 1, 2),
  Float32Array.of(5, 6, 5),
];
const view = (mode: View['mode']): View => Object.assign(new View(columns, [0, 1]), { mode });
const at = (panel: Panel, i: number): [number, number] => {
  const [x, y, z] = panel.columns.map((column) => columns[column][i]);
  return positionOf(panel, x, y, z);
};
const isNear = (a: readonly number[], b: readonly number[]): boolean => Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-3;

test('zooming keeps what is under the pointer, panning follows it, and reset shows all again', () => {
  for (const mode of ['plane', 'pairs', 'space'] as const) {
    const shown = view(mode);
    const [before] = shown.panels(600, 400);
    const under = at(before, 1);
    shown.zoomAt(before, under, 3);
    const [zoomed] = shown.panels(600, 400);
    assert.ok(isNear(at(zoomed, 1), under), mode);
    const distance = (panel: Panel): number => Math.hypot(at(panel, 0)[0] - at(panel, 2)[0], at(panel, 0)[1] - at(panel, 2)[1]); // oxfmt-ignore
    assert.ok(Math.abs(distance(zoomed) / distance(before) - 3) < 1e-3, mode);
    shown.panBy(zoomed, 30, -20);
    assert.ok(isNear(at(shown.panels(600, 400)[0], 1), [under[0] + 30, under[1] - 20]), mode);
    shown.reset();
    assert.equal(shown.panels(600, 400), view(mode).panels(600, 400));
  }
});

test('the pairs of k coordinates are k(k−1)/2 panels that share their axes', () => {
  const shown = view('pairs');
  const panels = shown.panels(600, 400);
  assert.equal(panels.map(({ columns: [x, y] }) => `${x}${y}`), ['01', '02', '12', '03', '13', '23']); // oxfmt-ignore
  shown.zoomAt(panels[0], [100, 50], 2);
  const zoomed = shown.panels(600, 400);
  assert.is(zoomed[1].scale[0], zoomed[0].scale[0]);
  assert.equal(zoomed[5].scale, panels[5].scale);
});

test('a rotation keeps the middle of the points, and moves the others', () => {
  const shown = view('space');
  const [before] = shown.panels(500, 500);
  shown.rotateBy(0.7, 0.2);
  const [after] = shown.panels(500, 500);
  assert.ok(isNear(positionOf(after, ...before.center), positionOf(before, ...before.center)));
  assert.not.ok(isNear(at(after, 0), at(before, 0)));
});

test('the nearest visible point within reach is found', () => {
  const [panel] = view('plane').panels(600, 400);
  const [x, y] = at(panel, 2);
  const find = (hidden: number, reach = 20): number =>
    nearestPoint(panel, columns, (i) => i === hidden, [x + 3, y - 2], reach);
  assert.is(find(-1), 2);
  assert.is(find(2), -1);
  assert.is(find(2, 2000), 1);
});

test('two channels in one multiplication blend like one after the other', () => {
  const channels = (pixel: number): number[] => [0, 8, 16, 24].map((shift) => (pixel >>> shift) & 255);
  for (const weight of [0, 1, 77, 128, 255, 256]) {
    for (const [pixel, color] of [
      [0xff000000, 0xffffffff],
      [0xffffffff, 0xff000000],
      [0xff123456, 0xfffedcba],
    ]) {
      const [red, green, blue] = channels(color);
      assert.equal(channels(blend(pixel | 0, color | 0, weight)), channels(mixed(pixel, red, green, blue, weight)));
    }
  }
});

test.run();
