/** --plot writes pictures of embed, cluster and transform, and --open shows them. */

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { writeCsv } from '../../lib/doors/formats.ts';
import { type PageData, unpackPicture } from '../../lib/pictures/shared/page-data.ts';
import type { Picture } from '../../lib/pictures/shared/picture.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('specnet --plot');

const { points, labels } = blobs({ n: 90, centers: 3, seed: 4 });

async function withBlobs(use: (path: (name: string) => string, folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    put(folder, 'blobs.csv', await writeCsv({ points, labels: labels!, columnNames: ['width', 'height'] })); // oxfmt-ignore
    await use((name) => `${folder}/${name}`, folder);
  });
}

const pictureIn = (path: string): Picture =>
  unpackPicture(JSON.parse(/id="data">(.*?)<\/script>/s.exec(readFileSync(path, 'utf8'))![1]) as PageData);

async function succeed(args: string[]): Promise<string> {
  const { code, out, err } = await run(args);
  assert.is(code, 0, err);
  return out;
}

test('embed, cluster and transform write pages with coordinates, labels, columns and diagnostics', () =>
  withBlobs(async (path) => {
    const flags = ['--graph', 'gaussian', '--sigma', '2'];
    await succeed(['embed', path('blobs.csv'), '-k', '3', ...flags, '--model', path('m.specnet'), '--plot', path('e.html')]); // oxfmt-ignore
    const embedded = pictureIn(path('e.html'));
    assert.is(embedded.title, 'blobs.csv');
    assert.equal(embedded.coordinates.map(({ name }) => name), ['psi1', 'psi2', 'psi3']); // oxfmt-ignore
    assert.equal(embedded.fields.map(({ name }) => name), ['label', 'width', 'height']); // oxfmt-ignore
    const [, width] = embedded.fields;
    assert.ok(width.kind === 'numbers');
    assert.equal(
      width.values,
      Float32Array.from({ length: 90 }, (_, i) => points.data[2 * i]),
    );
    const html = readFileSync(path('e.html'), 'utf8');
    assert.is(html.match(/<circle/g)!.length, 11, 'the trivial eigenvalue and ten others');
    assert.match(html, /<th scope="row">Rayleigh quotients<\/th>/);

    await succeed(['transform', path('m.specnet'), path('blobs.csv'), '--plot', path('t.html'), '--color', 'height']);
    const moved = pictureIn(path('t.html'));
    assert.is(moved.colorBy, 'height');
    assert.equal(moved.coordinates, embedded.coordinates);

    await succeed(['cluster', path('blobs.csv'), '--clusters', '2', ...flags, '--plot', path('c.html')]);
    const clustered = pictureIn(path('c.html'));
    assert.is(clustered.colorBy, 'cluster');
    assert.is(clustered.coordinates.length, 3, 'at least three, though one was clustered');
    assert.equal(clustered.fields.map(({ name }) => name), ['cluster', 'label', 'width', 'height']); // oxfmt-ignore
  }));

test('labels are called as their column is, and --color knows both names', () =>
  inFolder(async (folder) => {
    const lines = Array.from({ length: 60 }, (_, i) => `${i % 7},${(i * i) % 11},${i < 30 ? 'cat' : 'dog'}`);
    const path = put(folder, 'pets.csv', `a,b,Species\n${lines.join('\n')}\n`);
    for (const color of ['Species', 'label']) {
      await succeed(['embed', path, '--plot', `${folder}/pets.html`, '--color', color]);
      const { fields, colorBy } = pictureIn(`${folder}/pets.html`);
      assert.equal([fields[0].name, colorBy], ['Species', 'Species']);
    }
    const { code, err } = await run(['embed', path, '--plot', `${folder}/pets.html`, '--color', 'kind']);
    assert.is(code, 1);
    assert.match(err, /--color to be one of psi1, psi2, label, Species, a, b, got 'kind'/);
  }));

test('a graph in parts is a warning in the picture, and a graph file has no columns', () =>
  inFolder(async (folder) => {
    const edges = ['1 2', '2 3', '1 3', '4 5', '5 6', '4 6'].map(
      (pair) => `${pair.split(' ').toReversed().join(' ')} 1`,
    );
    const path = put(folder, 'g.mtx', `%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n${edges.join('\n')}\n`);
    await succeed(['cluster', path, '--clusters', '2', '--plot', `${folder}/c.html`]);
    const html = readFileSync(`${folder}/c.html`, 'utf8');
    assert.match(
      html,
      /<li>The graph falls into 2 parts of 3, 3 points\. The first coordinate only tells the parts apart/,
    );
    assert.equal(pictureIn(`${folder}/c.html`).fields.map(({ name }) => name), ['cluster']); // oxfmt-ignore
  }));

test('the page has every warning that is printed, and what is printed about the table', () =>
  inFolder(async (folder) => {
    // 30 copies of a point apart from the others, and columns of different spread.
    const lines = Array.from({ length: 90 }, (_, i) =>
      i < 30 ? '-900,-900000,a,' : `${(i * 7) % 31},${1000 * ((i * i) % 37)},${i % 2 ? 'a' : 'b'},`,
    );
    const path = put(folder, 'copies.csv', `width,height,kind,empty\n${lines.join('\n')}\n`);
    for (const command of [['embed'], ['cluster', '--clusters', 'auto']]) {
      const { err } = await run([command[0], path, ...command.slice(1), '--plot', `${folder}/copies.html`]);
      const printed = err.trim().split('\n').map((line) => line.replace(/^specnet( \w+)?: /, '')); // oxfmt-ignore
      assert.ok(
        printed.some((line) => line.startsWith('30 points coincide with all their neighbors')),
        err,
      );
      assert.ok(
        printed.some((line) => line.includes('--scale standard')),
        err,
      );
      assert.ok(
        printed.some((line) => line.startsWith('The graph falls into 2 parts')),
        err,
      );
      const html = readFileSync(`${folder}/copies.html`, 'utf8');
      const [list] = /<ul id="warnings".*?<\/ul>/s.exec(html)!;
      const shown = Array.from(list.matchAll(/<li>(.*?)<\/li>/g), ([, text]) => unescape(text).toLowerCase());
      assert.equal(shown.toSorted(), printed.map((line) => line.toLowerCase()).toSorted()); // oxfmt-ignore
      assert.match(html, /<th scope="row">left out<\/th><td>kind \(2 classes\), empty \(empty\)<\/td>/);
      assert.match(html, /<th scope="row">label<\/th><td>none\. To use one: --label kind<\/td>/);
    }
    // The notes of the reader, on pages of `transform` too.
    const gaps = put(folder, 'gaps.csv', `width,height\n${lines.slice(30).map((_, i) => `${i % 7},${i === 3 ? '' : i % 5}`).join('\n')}\n`); // oxfmt-ignore
    await succeed(['embed', gaps, '--model', `${folder}/m.specnet`, '--plot', `${folder}/gaps.html`]);
    await succeed(['transform', `${folder}/m.specnet`, gaps, '--plot', `${folder}/moved.html`]);
    for (const page of ['gaps', 'moved']) {
      const html = readFileSync(`${folder}/${page}.html`, 'utf8');
      assert.match(html, /<th scope="row">notes<\/th><td>1 missing value \(1 in 'height'\): 1 of 60 rows dropped/);
    }
  }));

function unescape(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(\w+);/g, (_, name: string) => characters[name]);
}

test('a picture in SVG, by a column', () =>
  withBlobs(async (path) => {
    await succeed(['embed', path('blobs.csv'), '--plot', path('e.svg'), '--color', 'width']);
    assert.match(readFileSync(path('e.svg'), 'utf8'), /^<svg .*>width<\/text>/s);
  }));

test('wrong flags are refused before any work, and a wrong color before learning', () =>
  withBlobs(async (path) => {
    const refuse = async (args: string[], code: number, message: RegExp): Promise<void> => {
      const outcome = await run(['embed', path('blobs.csv'), '--out', path('e.csv'), ...args]);
      assert.is(outcome.code, code);
      assert.match(outcome.err, message);
      assert.not.ok(existsSync(path('e.csv')));
    };
    await refuse(['--open'], 2, /expected --plot FILE with --open, got none/);
    await refuse(['--color', 'width'], 2, /expected --plot FILE with --color, got none/);
    await refuse(['--plot', path('e.png')], 2, /expected --plot to end in \.html, \.svg, got/);
    await refuse(
      ['--plot', path('none/e.html')],
      1,
      /expected --plot .*e\.html to be a file that can be written, got ENOENT/,
    );
    await refuse(['--plot', path('e.html'), '--color', 'depth'], 1, /expected --color to be one of psi1, psi2, label, width, height, got 'depth'/); // oxfmt-ignore
  }));

if (process.platform === 'linux') {
  test('--open passes the file to xdg-open, and prints advice if that fails', () =>
    withBlobs(async (path, folder) => {
      const before = process.env.PATH;
      const args = ['embed', path('blobs.csv'), '--plot', path('e.html'), '--open'];
      try {
        process.env.PATH = folder;
        assert.match((await run(args)).err, /there is no program 'xdg-open' here\. Open .*e\.html in a browser\.\n$/);
        chmodSync(put(folder, 'xdg-open', `#!/bin/sh\nPATH="${before}"\necho "$1" > "${folder}/opened"\n`), 0o755);
        process.env.PATH = [folder, before].join(delimiter);
        assert.not.match((await run(args)).err, /browser/);
        assert.is(readFileSync(path('opened'), 'utf8').trim(), path('e.html'));
        chmodSync(put(folder, 'xdg-open', '#!/bin/sh\nexit 3\n'), 0o755);
        assert.match((await run(args)).err, /'xdg-open' found no browser\. Open /);
      } finally {
        process.env.PATH = before;
      }
    }));
}

test.run();
