/** embed, transform and cluster read tables, tell what they left out, and carry ids and labels along. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadModel, readTable, saveModel, SpectralEmbedding, tensor, transform } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('tables on the command line');

/** Two groups of birds, as tables of biologists are: text, a date, a unit, and gaps. */
const birds = Array.from({ length: 60 }, (_, i) => {
  const far = i % 2 === 0 ? 0 : 8;
  return {
    name: `bird ${i}`,
    seen: `2020-03-${String((i % 28) + 1).padStart(2, '0')}`,
    species: far ? 'owl' : 'tit',
    island: ['Biscoe', 'Dream', 'Torgersen'][i % 3],
    wing: i === 7 ? 'NA' : (far + Math.sin(i)).toFixed(3),
    mass: (far + Math.cos(1.7 * i)).toFixed(3),
  };
});
const header = 'name;seen;species;island;wing;mass';
const lineOf = ({ name, seen, species, island, wing, mass }: (typeof birds)[number]): string =>
  [name, seen, species, island, wing.replace('.', ','), `${mass.replace('.', ',')} g`].join(';');
const csv = `${header}\n${birds.map(lineOf).join('\n')}\n`;

test('embed tells what it left out and why, the label, and what it recognized', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'birds.csv', csv);
    const { code, out } = await run(['embed', path]);
    assert.is(code, 0);
    assert.equal(out.slice(0, out.indexOf('\n\n')).split('\n').slice(1), [
      'Left out: seen (dates), island (3 classes).',
      'Label: species (2 classes).',
      'Ids: name.',
      "Numbers have a decimal comma. If not, pass --decimal '.'.",
      "Read as numbers: 'wing' (decimal comma), 'mass' (decimal comma, in g).",
      "1 missing value (1 in 'wing'): 1 of 60 rows dropped. --missing mean keeps them.",
    ]);
    const { table } = JSON.parse((await run(['embed', path, '--label', 'ISLAND', '--json'])).out);
    assert.equal(table.columns, ['wing', 'mass']);
    assert.is(table.label, 'island');
    assert.equal(table.labelCandidates, ['species']);
    assert.equal([table.id, table.missing, table.dropped], ['name', { wing: 1 }, 1]);
    const offered = await run(['embed', path, '--ignore', 'species,name']);
    assert.match(offered.out, /\nLabel: none\. To use one: --label island\.\n/);
  }));

test('a label with one class is told, also if it is called label', () =>
  inFolder(async (folder) => {
    const lines = birds.map(({ mass }, i) => `${mass},${Math.sin(9 * i).toFixed(3)},tit`);
    const path = put(folder, 'tits.csv', `mass,wing,label\n${lines.join('\n')}\n`);
    assert.match((await run(['embed', path])).out, /\nLabel: label \(1 class\)\.\n/);
  }));

test('a long list of few different numbers is refused at once, with the way out', () =>
  inFolder(async (folder) => {
    const list = (count: number, of: number): string =>
      JSON.stringify({ data: Array.from({ length: count }, (_, i) => (i % 7 < 5 ? 0 : i % of) / of) });
    const { code, err } = await run(['embed', put(folder, 'digits.json', list(60_000, 200))]);
    assert.is(code, 1);
    assert.match(
      err,
      /digits\.json: expected a table of different rows, got 60000 rows of which 60000 are copies of \d+ points\. /,
    );
    assert.match(
      err,
      /The 16 neighbors of such a row would be its own copies\. Remove repeated rows\. If the list holds rows of /,
    );
    const pairs = Array.from({ length: 60_000 }, (_, i) => `${i % 3},${i % 5}`).join('\n');
    const wide = await run(['cluster', put(folder, 'pairs.csv', `x,y\n${pairs}\n`), '--clusters', '2']);
    assert.match(
      wide.err,
      /pairs\.csv: expected a table of different rows, got 60000 rows of which 60000 are copies of 15 points\. /,
    );
    assert.not.match(wide.err, /If the list/);
  }));

test('a flag whose value ends with a point has quotes, so that the point is not that of the sentence', () =>
  inFolder(async (folder) => {
    const lines = Array.from({ length: 40 }, (_, i) => `${i % 9 ? Math.sin(i).toFixed(3) : 'b.d.'},${(i * i) % 17}`);
    const { out } = await run(['embed', put(folder, 'limits.csv', `x,y\n${lines.join('\n')}\n`)]);
    assert.match(out, /pass --missing-values 'b\.d\.'\.\n/);
  }));

test('a table of two different rows, repeated, has one component', () =>
  inFolder(async (folder) => {
    const path = put(
      folder,
      'flags.csv',
      `flag\n${Array.from({ length: 40 }, (_, i) => Number(i % 4 === 0)).join('\n')}\n`,
    );
    const { code, out } = await run(['embed', path, '--json']);
    assert.is(code, 0);
    assert.is(JSON.parse(out).eigenvalues.length, 1);
    const { code: refused, err } = await run(['embed', path, '--components', '2']);
    assert.is(refused, 1);
    assert.match(err, /expected at most 1 components, .*, got 2\. Repeated points count once\. Ask for 1 component\./);
  }));

test('values that count as missing are flags, also negative ones, and a model keeps them', () =>
  inFolder(async (folder) => {
    const rows = birds.map(({ wing, mass }, i) => `${i % 9 ? mass : -999},${wing === 'NA' ? 'tbd, later' : wing}`);
    const path = put(folder, 'gaps.csv', `mass,wing\n${rows.join('\n').replace('tbd, later', '"tbd, later"')}\n`);
    const told = await run(['embed', path]);
    assert.match(told.out, /If it stands for a missing value, pass --missing-values -999\.\n/);
    assert.match(told.out, /\nTo use the numbers of 'wing', pass --missing-values '"tbd, later"'\.\n/);
    const model = `${folder}/m.specnet`;
    const flags = ['--missing-values', '-999,"tbd, later"', '--model', model, '--out', `${folder}/e.csv`];
    const { code, out } = await run(['embed', path, ...flags]);
    assert.is(code, 0);
    assert.match(out, /\n8 missing values \(7 in 'mass', 1 in 'wing'\): 8 of 60 rows dropped\./);
    assert.is((await run(['transform', model, path, '--out', `${folder}/t.csv`])).code, 0);
    assert.is(readFileSync(`${folder}/t.csv`, 'utf8'), readFileSync(`${folder}/e.csv`, 'utf8'));
  }));

test('coordinates and clusters carry ids and labels along, row by row', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'birds.csv', csv);
    const kept = birds.filter((_, i) => i !== 7);
    await run(['embed', path, '--out', `${folder}/e.csv`]);
    const lines = readFileSync(`${folder}/e.csv`, 'utf8').trim().split('\n');
    assert.is(lines[0], 'name,psi1,psi2,species');
    assert.equal(
      lines.slice(1).map((line) => [line.split(',')[0], line.split(',')[3]]),
      kept.map(({ name, species }) => [name, species]),
    );
    const { code, out } = await run(['cluster', path, '--clusters', '2', '--out', `${folder}/c.csv`]);
    assert.is(code, 0);
    assert.match(out, /\nAgreement with the labels of the file: accuracy 1\.0000, NMI 1\.0000, ARI 1\.0000\.\n/);
    const clusters = readFileSync(`${folder}/c.csv`, 'utf8').trim().split('\n');
    assert.is(clusters[0], 'name,cluster,species');
    assert.is(new Set(clusters.slice(1).map((line) => line.split(',').slice(1).join())).size, 2);
    await run(['embed', path, '--ignore', 'name', '--out', `${folder}/rows.csv`]);
    assert.match(readFileSync(`${folder}/rows.csv`, 'utf8'), /^row,psi1,psi2,species\n1,[^]*\n7,.*\n9,/);
  }));

test('transform finds the columns of the model in another order, among others, in another notation', () =>
  inFolder(async (folder) => {
    const [path, model] = [put(folder, 'birds.csv', csv), `${folder}/birds.specnet`];
    const flags = ['--categorical', 'island', '--model', model];
    assert.is((await run(['embed', path, ...flags, '--out', `${folder}/e.csv`])).code, 0);
    const records = birds.map(({ name, island, wing, mass }) => {
      return { extra: 1, mass: Number(mass), Island: island, id: name, wing: wing === 'NA' ? null : Number(wing) };
    });
    const other = put(folder, 'other.ndjson', records.map((record) => JSON.stringify(record)).join('\n'));
    assert.is((await run(['transform', model, other, '--out', `${folder}/t.csv`])).code, 0);
    const [expected, found] = ['e.csv', 't.csv'].map((name) =>
      readFileSync(`${folder}/${name}`, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 3).join()),
    );
    assert.equal(found, expected);
    const { table, rows } = JSON.parse((await run(['transform', model, other, '--missing', 'mean', '--json'])).out);
    assert.equal([rows, table.dropped], [60, 0]);

    const refused: [string, string, string[]][] = [
      [csv.replace('wing', 'winglet'), "expected a column named 'wing', as in fit, got the columns 'name', 'seen', 'species', 'island', 'winglet', 'mass'.", []],
      [csv.replace(/[^;]+(?=;[^;]+ g\n)/g, 'short'), "expected numbers in column 'wing', got 'short' on line 2.", []],
      [csv.replaceAll('Dream', 'Anvers'), "expected no missing values, got 1 in 'wing', 20 in 'island' (unknown: 'Anvers'), first on line 3.", ['--missing', 'error']],
      ['1,2\n3,4\n', 'expected 3 columns as in fit, or a header with their names, got 2 columns.', []],
    ]; // oxfmt-ignore
    await forEachInOrder(refused, async ([text, message, more]) => {
      const bad = put(folder, 'bad.csv', text);
      const { code, err } = await run(['transform', model, bad, ...more]);
      assert.is(code, 1);
      assert.ok(err.includes(`bad.csv: ${message}`), err);
    });
  }));

test('a table without names is transformed by place', () =>
  inFolder(async (folder) => {
    const rows = birds.map(({ mass }, i) => `${mass},${Math.sin(i)},${i % 2 ? 'u' : 'v'}`).join('\n');
    const [path, model] = [put(folder, 'plain.csv', rows), `${folder}/m.specnet`];
    assert.is((await run(['embed', path, '--model', model])).code, 0);
    const named = put(folder, 'named.csv', `p,q\n${birds.map(({ mass }, i) => `${mass},${Math.sin(i)}`).join('\n')}\n`);
    await forEachInOrder([path, named], async (file) => {
      assert.is((await run(['transform', model, file, '--out', `${folder}/t.csv`])).code, 0);
      assert.match(readFileSync(`${folder}/t.csv`, 'utf8'), /^psi1,psi2\n/);
    });
  }));

test('the library does the same: estimators take tables, and models keep their columns', async () => {
  const table = await readTable(csv, { categorical: ['island'] });
  const fitted = await new SpectralEmbedding().fit(table);
  assert.equal(fitted.model.columns, table.encoding);
  const model = loadModel(saveModel(fitted.model));
  assert.equal(model.columns, table.encoding);
  const shuffled = await readTable(
    JSON.stringify(birds.map(({ wing, mass, island }) => ({ mass: Number(mass), island, wing: Number(wing) }))),
  );
  assert.equal(transform(model, shuffled).data, fitted.embedding.data);
  assert.equal(fitted.transform(shuffled).data, fitted.embedding.data);
  const plain = await new SpectralEmbedding().fit(tensor(table.points.toArray() as number[][]));
  assert.is('columns' in plain.model, false);
  assert.equal(plain.embedding.data, fitted.embedding.data);
});

test.run();
