/** plotEmbedding draws every point, embeds the data exactly, allows only its own script, and takes markup as text. */

import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plotEmbedding, type PlotOptions, Random, Tensor, tensor } from '../../lib/index.ts';
import { type PageData, unpackPicture } from '../../lib/pictures/shared/page-data.ts';
import type { Picture } from '../../lib/pictures/shared/picture.ts';

const test = suite('plotEmbedding');

const random = new Random(3);
const sample = (rows: number, cols: number): Tensor =>
  new Tensor(Float32Array.from({ length: rows * cols }, () => random.normal()), [rows, cols]); // oxfmt-ignore

const points = sample(60, 3);
const species = Array.from({ length: 60 }, (_, i) => ['setosa', 'versicolor', 'virginica'][i % 3]);

const pictureIn = (html: string): Picture =>
  unpackPicture(JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]) as PageData);

test('a page contains the coordinates to the bit, the fields of each point and the ids', () => {
  const weights = Float64Array.from({ length: 60 }, (_, i) => (i === 7 ? NaN : i / 3));
  const options: PlotOptions = {
    labels: species,
    clusters: Int32Array.from({ length: 60 }, (_, i) => i % 2),
    ids: Array.from({ length: 60 }, (_, i) => `plant ${i}`),
    columns: [
      { name: 'weight', values: weights },
      { name: 'year', values: Array.from({ length: 60 }, (_, i) => 2_000_000 + i) },
      { name: 'note', values: Array.from({ length: 60 }, (_, i) => `note ${i}`) },
    ],
  };
  const picture = pictureIn(plotEmbedding(points, options));
  assert.is(picture.rows, 60);
  assert.equal(picture.coordinates.map(({ name }) => name), ['psi1', 'psi2', 'psi3']); // oxfmt-ignore
  for (const [k, { values }] of picture.coordinates.entries()) {
    assert.equal(
      values,
      Float32Array.from({ length: 60 }, (_, i) => points.data[3 * i + k]),
    );
  }
  assert.equal(picture.fields.map(({ name, kind }) => [name, kind]), [['cluster', 'classes'], ['label', 'classes'], ['weight', 'numbers'], ['year', 'numbers'], ['note', 'texts']]); // oxfmt-ignore
  const [, label, weight, year] = picture.fields;
  assert.ok(label.kind === 'classes' && weight.kind === 'numbers' && year.kind === 'numbers');
  assert.equal(
    Array.from(label.codes, (code) => label.classes[code]),
    species,
  );
  assert.ok(Number.isNaN(weight.values[7]));
  assert.is(weight.values[8], Math.fround(8 / 3));
  assert.is(year.values[59], 2_000_059);
  assert.is(picture.ids![59], 'plant 59');
  assert.is(picture.colorBy, 'cluster');
});

test('labels have the name that is given, unless something else has it', () => {
  const namesOf = (options: PlotOptions): string[] =>
    pictureIn(plotEmbedding(points, { labels: species, ...options })).fields.map(({ name }) => name);
  const clusters = new Int32Array(60);
  assert.equal(namesOf({}), ['label']);
  assert.equal(namesOf({ labelName: 'species' }), ['species']);
  assert.equal(namesOf({ labelName: 'cluster' }), ['cluster']);
  assert.equal(namesOf({ labelName: 'cluster', clusters }), ['cluster', 'label']);
  assert.equal(namesOf({ labelName: 'psi2' }), ['label']);
  assert.equal(namesOf({ labelName: 'size', columns: [{ name: 'size', values: clusters }] }), ['label', 'size']);
  const colored = (colorBy: string): string | null =>
    pictureIn(plotEmbedding(points, { labels: species, labelName: 'species', clusters, colorBy })).colorBy;
  assert.equal([colored('species'), colored('label')], ['species', 'species']);
});

test('the policy allows the one script and the one style by their hashes, and the page asks for nothing else', () => {
  const html = plotEmbedding(points, { labels: species, eigenvalues: [0.9, 0.8, 0.3], diagnostics: { f1: 1 }, warnings: ['Careful.'] }); // oxfmt-ignore
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1];
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const script = /<script>(.*?)<\/script>/s.exec(html)![1];
  const style = /<style>(.*?)<\/style>/s.exec(html)![1];
  assert.is(policy, `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`); // oxfmt-ignore
  assert.ok(html.indexOf('Content-Security-Policy') < html.indexOf('<style>'), 'before what it governs');
  const markup = html.replace(script, '').replace(style, '');
  assert.not.match(markup, /\son\w+=|\sstyle=|\ssrc=|<link|<iframe|<img|javascript:/);
  assert.not.match(html, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  assert.not.match(script, /\beval\(|new Function|innerHTML|fetch\(|XMLHttpRequest/);
});

const hostile = '</script><script>alert(1)</script><!-- & "x" \u2028';

test('markup in titles, labels, columns, ids, diagnostics and warnings is text', () => {
  const options: PlotOptions = {
    title: hostile,
    labels: species.map((name) => hostile + name),
    ids: species.map((_, i) => hostile + i),
    columns: [{ name: hostile, values: species.map((name) => name + hostile) }],
    names: [hostile, 'b', 'c'],
    diagnostics: { [hostile]: hostile },
    warnings: [hostile],
  };
  const html = plotEmbedding(points, options);
  assert.is(html.match(/<script/g)!.length, 2);
  assert.is(html.match(/<\/script/g)!.length, 2);
  assert.not.match(html, /<!--/);
  const picture = pictureIn(html);
  assert.is(picture.title, hostile);
  assert.is(picture.ids![4], `${hostile}4`);
  assert.is(picture.coordinates[0].name, hostile);
  const svg = plotEmbedding(points, { ...options, format: 'svg' });
  assert.not.match(svg, /<script|<!--/);
  assert.match(svg, '&lt;/script&gt;&lt;script&gt;alert(1)');
});

/** The number of dots and outlined marks in an SVG file, without the legend. */
const marksIn = (svg: string): number =>
  [...svg.matchAll(/<path [^>]*d="([^"]*)"[^>]*opacity=/g)].reduce(
    (sum, [, path]) => sum + path.match(/h0|z/g)!.length,
    0,
  );

test('SVG draws every point, by classes of any number and by numbers', () => {
  const many = sample(3000, 2);
  const labels = Array.from({ length: 3000 }, (_, i) => i % 50);
  assert.is(marksIn(plotEmbedding(many, { format: 'svg' })), 3000);
  assert.is(marksIn(plotEmbedding(many, { format: 'svg', labels })), 3000);
  const columns = [{ name: 'height', values: labels.map((label) => (label === 3 ? NaN : label)) }];
  const shaded = plotEmbedding(many, { format: 'svg', columns, colorBy: 'height' });
  assert.is(marksIn(shaded), 3000);
  assert.match(shaded, 'no value (60)');
});

test('SVG has the first coordinate to the right and the second upward, and defines every color that it uses', () => {
  const rows = tensor([
    [0, 0],
    [1, 0],
    [2, 5],
  ]);
  const svg = plotEmbedding(rows, { format: 'svg', labels: ['a', 'b', 'c'] });
  const placeOf = (color: string): number[] =>
    new RegExp(`d="m(\\d+) (\\d+)h0" stroke="var\\(--${color}\\)"`).exec(svg)!.slice(1).map(Number);
  const [a, b, c] = ['blue', 'orange', 'green'].map(placeOf);
  assert.ok(a[0] < b[0] && Math.abs(b[0] - (a[0] + c[0]) / 2) <= 1);
  assert.ok(a[1] === b[1] && c[1] < b[1]);
  const shaded = plotEmbedding(points, { format: 'svg', colorBy: 'psi1' });
  const used = new Set([...shaded.matchAll(/stroke="var\(--(\w+)\)"/g)].map(([, name]) => name));
  assert.ok(used.size > 10);
  for (const name of used) assert.ok(shaded.includes(`--${name}:`), name);
});

test('SVG follows the system unless a theme is given', () => {
  assert.match(plotEmbedding(points, { format: 'svg' }), /prefers-color-scheme: dark/);
  const dark = plotEmbedding(points, { format: 'svg', theme: 'dark' });
  assert.not.match(dark, /prefers-color-scheme/);
  assert.match(dark, '--page: #0d1117');
  assert.match(plotEmbedding(points, { theme: 'dark' }), '<html lang="en" data-theme="dark">');
});

test('one coordinate is drawn against the row, and one point at all', () => {
  assert.match(plotEmbedding(sample(20, 1), { format: 'svg' }), />row<\/text>/);
  assert.is(marksIn(plotEmbedding(tensor([[1, 2]]), { format: 'svg' })), 1);
});

test('axes and color are chosen by name', () => {
  const svg = plotEmbedding(points, { format: 'svg', axes: ['psi3', 'psi1'], colorBy: 'psi2' });
  assert.match(svg, />psi3<\/text><text transform="[^"]*" text-anchor="middle">psi1</);
  assert.is(pictureIn(plotEmbedding(points, { colorBy: 'psi2' })).colorBy, 'psi2');
  assert.is(pictureIn(plotEmbedding(points)).colorBy, null);
});

test('input that cannot be drawn is refused with the value and the remedy', () => {
  const refuse = (coordinates: unknown, options: object, message: RegExp): void =>
    assert.throws(() => plotEmbedding(coordinates as Tensor, options as PlotOptions), message);
  refuse(
    [[1, 2]],
    {},
    /^plotEmbedding: expected coordinates to be a Tensor, got an array of length 1\. tensor\(\) makes/,
  );
  refuse(tensor([1, 2]), {}, /expected coordinates with two axes, n×K, got 2/);
  refuse(tensor([[1, NaN]]), {}, /expected finite numbers in the coordinates, got NaN at row 0, column 1/);
  refuse(points, { colour: 'red' }, /unknown option 'colour'; known are format, title, theme/);
  refuse(points, { format: 'png' }, /expected format to be 'html' or 'svg', got png/);
  refuse(points, { theme: 'blue' }, /expected theme to be 'auto' or 'light' or 'dark', got blue/);
  refuse(points, { labels: ['a'] }, /expected 60 values in labels, one for each point, got 1/);
  refuse(points, { ids: 'abc' }, /expected ids to be an array of numbers or texts, got abc/);
  refuse(points, { columns: { a: 1 } }, /expected columns to be an array, got Object/);
  refuse(points, { columns: [{ name: 'x', values: new Float32Array(60).fill(Infinity) }] }, /finite numbers or NaN in column 'x', got Infinity/); // oxfmt-ignore
  refuse(points, { colorBy: 'nothing' }, /expected colorBy to be one of psi1, psi2, psi3, got 'nothing'/);
  refuse(points, { axes: ['psi1', 'psi9'] }, /expected axes among psi1, psi2, psi3, got 'psi9'/);
  refuse(points, { names: ['a'] }, /expected 3 names, one for each coordinate, got 1/);
  refuse(points, { eigenvalues: [1, NaN] }, /expected finite numbers in the eigenvalues, got NaN at index 1/);
});

test.run();
