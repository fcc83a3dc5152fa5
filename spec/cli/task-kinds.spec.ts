/** A fit, a sweep and replicas in tasks end as in one process. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { writeCsv, writeNpyTensor } from '../../lib/doors/formats.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { Random } from '../../lib/index.ts';
import { readGrid } from '../../lib/cli/commands/tasks/kinds/grid.ts';
import { cluster } from '../../lib/cli/commands/cluster.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('kinds of tasks');

/** Runs a command line in which @ stands for the folder and quotes keep blanks. Returns what it prints. */
async function shell(folder: string, line: string): Promise<string> {
  const words = line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", '').replaceAll('@', `${folder}/`));
  const { code, out, err } = await run(words);
  return code === 0 ? out : `${code}: ${err}`;
}

test('a fit in tasks has the bits of embed --stored', () =>
  inFolder(async (folder) => {
    // Three groups of rows, the smallest number in which the order of sums matters.
    const points = zeros([33_000, 2]);
    new Random(7).fillNormal(points.data);
    put(folder, 'points.npy', writeNpyTensor(points));
    await shell(folder, 'store @points.npy --neighbors 3 --out @graph');
    const options = '-k 2 --landmarks 12 --seed 3';
    await shell(folder, `embed @points.npy --stored @graph --method ritz ${options} --model @whole.specnet`);
    const planned = await shell(folder, `plan fit @graph @points.npy ${options} --blocks 3 --out @run --json`);
    const { stages } = JSON.parse(planned) as { stages: { name: string; first: number; last: number }[] };
    const expected = [['features', 1, 3], ['sums', 4, 6], ['solve', 7, 7]]; // oxfmt-ignore
    assert.equal(stages.map(Object.values), expected);
    assert.match(await shell(folder, 'run @run'), /solve +1 +1 +0/);
    const [model, whole] = ['run/model.specnet', 'whole.specnet'].map((file) => readFileSync(join(folder, file)));
    assert.ok(model.equals(whole));
  }));

test('a sweep ends in a table and a chart of all combinations, the same for any number of blocks', () =>
  inFolder(async (folder) => {
    put(folder, 'points.csv', await writeCsv(blobs({ n: 48, seed: 1, deviation: 3 })));
    const grid = "--grid 'clusters=3; neighbors=9,80; assign=k-means,cluster-qr; seed=0..1'";
    assert.match(
      await shell(folder, `plan sweep cluster @points.csv ${grid} --out @one`),
      /sweep in 9 tasks\n\nstage +tasks\n.*\nruns +1 to 8\nreport +9\n/,
    );
    await shell(folder, `plan sweep cluster @points.csv ${grid} --blocks 3 --out @three`);
    assert.match(await shell(folder, 'run @one'), /Complete: .*table\.csv, .*chart\.svg/);
    await shell(folder, 'run @three');
    const [table, chart] = ['table.csv', 'chart.svg'].map((name) => readFileSync(join(folder, 'one', name), 'utf8'));
    assert.is(readFileSync(join(folder, 'three', 'table.csv'), 'utf8'), table);
    assert.is(readFileSync(join(folder, 'three', 'chart.svg'), 'utf8'), chart);
    const lines = table.trim().split('\n');
    const header =
      'run,clusters,neighbors,assign,seed,ari,nmi,accuracy,silhouette,stability,clusters,converged,problem';
    assert.equal([lines.length, lines[0]], [9, header.replace('stability,clusters', 'stability,found')]);
    const report = JSON.parse(
      await shell(folder, 'cluster @points.csv --clusters 3 --neighbors 9 --assign cluster-qr --seed 1 --json'),
    );
    const { agreement, quality } = report;
    assert.ok(
      lines[4].startsWith(
        `4,3,9,cluster-qr,1,${[agreement.ari, agreement.nmi, agreement.accuracy, quality.silhouette].join(',')},`,
      ),
      lines[4],
    );
    assert.match(lines[8], /^8,3,80,cluster-qr,1,,,,,,,,".*neighbors to be at most 48.*"$/, 'refused by the command');
    assert.match(chart, /^<svg .*<title>specnet cluster<\/title>.*>assign cluster-qr</s);
  }));

test('a sweep of embed without a numeric option has marks, and the numbers of the command', () =>
  inFolder(async (folder) => {
    put(folder, 'points.csv', await writeCsv(blobs({ n: 48, seed: 1, deviation: 3 })));
    await shell(folder, "plan sweep embed @points.csv --grid 'components=2; method=ritz,eigen; mutual=no' --out @run");
    await shell(folder, 'run @run');
    const [header, ritz, eigen] = readFileSync(join(folder, 'run', 'table.csv'), 'utf8').split('\n');
    assert.is(header, 'run,components,method,mutual,f1 gap,f2 gap,first quotient,last quotient,converged,problem');
    const { gap, eigenvalues } = JSON.parse(await shell(folder, 'embed @points.csv --method ritz --json'));
    assert.is(ritz, `1,2,ritz,no,${[gap.f1, gap.f2, ...eigenvalues].join(',')},true,`);
    assert.match(eigen, /^2,2,eigen,no,0,/);
    assert.match(readFileSync(join(folder, 'run', 'chart.svg'), 'utf8'), />method eigen<.*>combination</s);
  }));

test('wrong grids are refused before anything is written', () => {
  const refused: [string, RegExp][] = [
    ['', /expected --grid 'OPTION=VALUE,…; …', got ''/],
    ['neighbors', /expected OPTION=VALUE,… in --grid, got 'neighbors'/],
    ['epoch=1', /expected an option of specnet cluster that changes its numbers in --grid, got 'epoch'/],
    ['out=a.csv', /changes its numbers in --grid, got 'out'/],
    ['seed=5..2', /expected a range such as 0\.\.9, got '5\.\.2'/],
    ['mutual=maybe', /expected yes or no for mutual in --grid, got 'maybe'/],
    ['seed=1; seed=2', /expected each option once in --grid, got seed twice/],
  ];
  for (const [text, message] of refused) assert.throws(() => readGrid(text, 'cluster', cluster.flags), message);
  assert.equal(readGrid('hidden="64,32",16; seed=2..4', 'cluster', cluster.flags), [
    { name: 'hidden', values: ['64,32', '16'] },
    { name: 'seed', values: ['2', '3', '4'] },
  ]);
});

test('replicas in tasks have the numbers of reproduce, and wrong usage is refused', () =>
  inFolder(async (folder) => {
    await shell(folder, 'reproduce data --seed 2 --out @whole');
    assert.match(await shell(folder, 'plan reproduce data --seed 2 --out @run'), /replicas +1\nreport +2\n/);
    assert.match(await shell(folder, 'run @run'), /Complete: .*report\.html/);
    const [numbers, expected] = ['run/results', 'whole'].map((name) => {
      const { replicas } = JSON.parse(readFileSync(join(folder, name, 'data.json'), 'utf8'));
      return JSON.stringify(replicas.map(({ numbers: each }: { numbers: object }) => each));
    });
    assert.is(numbers, expected);
    for (const [line, message] of [
      ['plan', /^2: .*expected a kind of tasks, neighbors, fit, transform, sweep or reproduce, got nothing\./],
      ['plan everything', /^2: .*got 'everything'\./],
      ['plan transform a --out b', /^2: .*expected MODEL POINTS\.npy after transform, got 'a'\./],
      ['plan reproduce data --neighbors 3 --out b', /^2: .*expected no --neighbors with plan reproduce, got one\./],
      ['plan reproduce data', /^2: .*expected --out RUN, got none\./],
      ['plan sweep solve a --grid seed=1 --out b', /^2: .*expected cluster or embed after sweep, got 'solve'\./],
      ['work @run', /^2: .*expected --task I, got none\./],
    ] as const) {
      assert.match(await shell(folder, line), message, line);
    }
  }));

test.run();
