/** embed, transform and cluster give the results of the estimators, save their models, and resume after a pause. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { trainAndTest, twoMoons } from '../../datasets/index.ts';
import { readCsv, writeCsv, writeNpyTensor } from '../../lib/doors/formats.ts';
import {
  buildGraph,
  exportOnnx,
  loadModel,
  readTable,
  saveModel,
  setThreads,
  simdStatus,
  SpectralClustering,
  SpectralEmbedding,
  spectrum,
} from '../../lib/index.ts';
import { laplacianEigenmap, loadTraining } from '../../lib/doors/embedding.ts';
import { diagnosticsOf } from '../../lib/embedding/spectral-embedding.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, interruptProgram, type Outcome, put, run } from './run.ts';

const test = suite('specnet embed');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

const { train, test: unseen } = trainAndTest(twoMoons, { n: 300, seed: 2 });
const graphOfTrain = () => buildGraph(train.points, { kind: 'knn' });

async function withMoons(use: (path: (name: string) => string, folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    put(folder, 'moons.csv', await writeCsv(train));
    put(folder, 'unseen.npy', writeNpyTensor(unseen.points));
    await use((name) => `${folder}/${name}`, folder);
  });
}

async function json(args: string[]) {
  const { code, out, err } = await run([...args, '--json']);
  assert.is(code, 0, err);
  return JSON.parse(out);
}

test('embed gives the coordinates of the estimator, and transform gives them to points never seen, to the bit', () =>
  withMoons((path) =>
    forEachInOrder([{}, { hidden: [24, 16] }], async (options: { hidden?: number[] }) => {
      const table = await readTable(readFileSync(path('moons.csv')));
      const fitted = await new SpectralEmbedding({ components: 3, seed: 4, ...options }).fit(table);
      const hidden = options.hidden ? ['--hidden', options.hidden.join(',')] : [];
      const [model, out] = [path('m.specnet'), path('e.csv')];
      const flags = ['-k', '3', '--seed', '4', ...hidden, '--model', model, '--out', out];
      const report = await json(['embed', path('moons.csv'), ...flags]);
      assert.equal(Object.keys(report), [
        'eigenvalues',
        'converged',
        'gap',
        'seconds',
        'stepsPerSecond',
        'landmarks',
        'table',
      ]);
      assert.equal(report.eigenvalues, [...fitted.eigenvalues]);
      assert.equal(Object.keys(report.seconds), ['graph', 'train', 'total']);
      assert.is(report.stepsPerSecond > 0, options.hidden !== undefined);
      const written = await readCsv(readFileSync(out), { label: 'label' });
      assert.equal(written.columnNames, ['psi1', 'psi2', 'psi3']);
      assert.equal(written.labels, train.labels, 'labels are carried along');
      assert.equal(written.points.data, fitted.embedding.data);
      assert.equal(new Uint8Array(readFileSync(model)), saveModel(fitted.model));

      const moved = await json(['transform', model, path('unseen.npy'), '--out', path('t.csv')]);
      assert.equal(Object.keys(moved), ['rows', 'seconds']);
      assert.is(moved.rows, 300);
      assert.equal((await readCsv(readFileSync(path('t.csv')))).points.data, fitted.transform(unseen.points).data);
    }),
  ));

test('the gap is measured against the spectrum of the same graph: Σλ − Σθ, and Σ max(λ, 0)² − Σ max(θ, 0)²', () =>
  withMoons(async (path) => {
    const truth = (await spectrum(await graphOfTrain(), { count: 4 })).values;
    const { eigenvalues, gap } = await json(['embed', path('moons.csv'), '-k', '3', '--hidden', '8']);
    let [f1, f2] = [0, 0];
    for (let k = 0; k < 3; k++) {
      f1 += truth[k + 1] - eigenvalues[k];
      f2 += truth[k + 1] ** 2 - eigenvalues[k] ** 2;
    }
    assert.ok(f1 > 1e-3, 'eight units are too few');
    assert.ok(Math.abs(gap.f1 - f1) < 1e-12 && Math.abs(gap.f2 - f2) < 1e-12);
    assert.equal(diagnosticsOf(Float64Array.of(0.5, -0.5), Float64Array.of(0.5, -0.25)).gap, { f1: 0.25, f2: 0 });
  }));

test('the gap is computed for more than 50,000 points', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'many.npy', writeNpyTensor(twoMoons({ n: 50_002, seed: 1 }).points));
    const { code, out, err } = await run([
      'embed',
      path,
      '--method',
      'ritz',
      '--hidden',
      '8',
      '--neighbors',
      '6',
      '--json',
    ]);
    assert.is(code, 0, err);
    const { gap } = JSON.parse(out);
    assert.ok(gap.f1 > 0 && gap.f2 > 0, JSON.stringify(gap));
  }));

test('method eigen embeds by the eigenvectors themselves, and saves no model', () =>
  withMoons(async (path) => {
    const exact = await laplacianEigenmap(await graphOfTrain(), { components: 2 });
    const report = await json(['embed', path('moons.csv'), '--method', 'eigen', '--out', path('e.csv')]);
    assert.equal(report.eigenvalues, [...exact.eigenvalues]);
    assert.equal(report.gap, { f1: 0, f2: 0 });
    const written = await readCsv(readFileSync(path('e.csv')), { label: 'label' });
    assert.equal(written.points.data, exact.embedding.copy('single').data);
  }));

const network = ['--method', 'specnet2', '--hidden', '16', '--batch', '20'];

test('networks are trained with the given flags, and the steps per second are printed', () =>
  withMoons(async (path) => {
    const training = { scheme: 'full', batch: 20, rate: 0.01, epochs: 4 } as const;
    const options = { method: 'specnet1', hidden: [16], training } as const;
    const fitted = await new SpectralEmbedding({ components: 2, seed: 0, ...options }).fit(train.points);
    const flags = '--method specnet1 --hidden 16 --scheme full --batch 20 --rate 0.01 --epochs 4'.split(' ');
    const report = await json(['embed', path('moons.csv'), ...flags]);
    assert.equal(report.eigenvalues, [...fitted.eigenvalues]);
    // Every reading of the clock takes 0.04 s: one for each of the four epochs, of 15 steps each.
    assert.ok(Math.abs(report.stepsPerSecond - 60 / 0.16) < 1e-6, `${report.stepsPerSecond}`);
    const { code, out, err } = await run(['embed', path('moons.csv'), ...network, '--epochs', '2'], true);
    assert.is(code, 0);
    assert.match(out, /^.*moons\.csv: 300 points of 2 columns; knn graph/);
    assert.match(out, / {2}quotient +λ of D⁻¹W +difference\n/);
    assert.match(out, /\nTrained by SpecNet2 in .*, 375 steps per second\.\nGap above the optimum: f1 .*, f2 .*\.\n$/);
    assert.match(err, /learning by specnet2, epoch \d … /);
  }));

test('a training that continues from its checkpoint ends with the same bits', () =>
  withMoons((path) =>
    forEachInOrder(['neighbor', 'full'], async (scheme) => {
      const own = [...network, '--scheme', scheme, '--rate', '0.003'];
      const kept = ['--checkpoint', path(`${scheme}.state`), '--model', path(`${scheme}.specnet`)];
      const whole = await json(['embed', path('moons.csv'), ...own, '--epochs', '6', '--out', path('whole.npy')]);
      await json(['embed', path('moons.csv'), ...own, '--epochs', '2', ...kept]);
      assert.is(loadTraining(readFileSync(path(`${scheme}.state`))).epoch, 2);
      const rest = await json([
        'embed',
        path('moons.csv'),
        ...own,
        '--epochs',
        '6',
        ...kept,
        '--out',
        path('rest.npy'),
      ]);
      assert.equal(rest.eigenvalues, whole.eigenvalues);
      assert.equal(readFileSync(path('rest.npy')), readFileSync(path('whole.npy')));
      assert.is(loadTraining(readFileSync(path(`${scheme}.state`))).epoch, 6);
      assert.ok(Math.abs(rest.stepsPerSecond - whole.stepsPerSecond) < 1e-6, 'only steps of this run count');
    }),
  ));

test('with a training flag, hidden layers and the Ritz head are trained alternately, and continue from a checkpoint', () =>
  withMoons(async (path) => {
    const args = ['embed', path('moons.csv'), '--method', 'ritz', '--hidden', '16'];
    const drawn = await json(args);
    assert.is(drawn.stepsPerSecond, 0);
    const own = [...args, '--rate', '0.003'];
    const whole = await json([...own, '--epochs', '20']);
    assert.ok(whole.stepsPerSecond > 0 && whole.gap.f2 < 0.9 * drawn.gap.f2, `${drawn.gap.f2} ${whole.gap.f2}`);
    const training = { rate: 0.003, epochs: 20 };
    const fitted = await new SpectralEmbedding({ method: 'ritz', hidden: [16], training }).fit(train.points);
    assert.equal(whole.eigenvalues, [...fitted.eigenvalues]);
    await json([...own, '--epochs', '3', '--checkpoint', path('state')]);
    const rest = await json([...own, '--epochs', '20', '--checkpoint', path('state')]);
    assert.equal(rest.eigenvalues, whole.eigenvalues);
    const { code, err } = await run(['embed', path('moons.csv'), '--method', 'ritz', '--epochs', '3']);
    assert.is(code, 2);
    assert.match(err, /expected --epochs with --hidden, or with --method specnet1 or specnet2, got neither\./);
  }));

test('an interrupted training leaves a complete state, from which it continues with the same bits', () =>
  withMoons(async (path) => {
    const own = ['--hidden', '8', '--rate', '0.003', '--seed', '3'];
    const args = ['embed', path('moons.csv'), '--method', 'specnet2', ...own];
    const state = path('training.state');
    const forever = JSON.stringify([...args, '--epochs', '100000', '--checkpoint', state]);
    const { signal, err } = await interruptProgram(`
      import { existsSync } from 'node:fs';
      import { runCommand } from './dist/lib/cli/commands.js';
      const look = setInterval(() => existsSync(${JSON.stringify(state)}) && (clearInterval(look), console.log('now')), 20);
      await runCommand(${forever}, { print() {}, note() {}, now: () => performance.now(), interactive: false, colored: false });
    `);
    assert.is(signal, 'SIGINT', err);
    const { epoch } = loadTraining(readFileSync(state));
    assert.ok(epoch > 0);
    const epochs = String(epoch + 2);
    const rest = await json([...args, '--epochs', epochs, '--checkpoint', state]);
    assert.equal(rest.eigenvalues, (await json([...args, '--epochs', epochs])).eigenvalues);
  }));

test('a checkpoint that does not fit is refused, and left as it was', () =>
  withMoons(async (path, folder) => {
    const state = path('training.state');
    const embed = (...flags: string[]) => run(['embed', path('moons.csv'), '--method', 'specnet2', ...flags]);
    assert.is((await embed('--hidden', '16', '--epochs', '2', '--batch', '50', '--checkpoint', state)).code, 0);
    const bytes = readFileSync(state);
    const few = put(folder, 'few.csv', await writeCsv(twoMoons({ n: 100, seed: 1 })));
    const refused: [() => Promise<Outcome>, RegExp][] = [
      [
        () => embed('--hidden', '17', '--checkpoint', state),
        /expected the state of a network of these sizes, got other sizes/,
      ],
      [
        () => embed('--hidden', '16', '--epochs', '1', '--checkpoint', state),
        /expected at least 2 epochs, as many as the state has, got 1\. Raise epochs/,
      ],
      [
        () => embed('--hidden', '16', '--scheme', 'full', '--checkpoint', state),
        /training\.state: expected the state of a training by specnet2 full, got one by specnet2 neighbor\. Use the same --method and --scheme, or another --checkpoint file\.\n$/,
      ],
      [
        () => run(['embed', path('moons.csv'), '--method', 'specnet1', '--hidden', '16', '--checkpoint', state]),
        /training\.state: expected the state of a training by specnet1 neighbor, got one by specnet2 neighbor\. Use the same --method and --scheme, or another --checkpoint file\.\n$/,
      ],
      [
        () => run(['embed', path('moons.csv'), '--hidden', '16', '--checkpoint', state]),
        /training\.state: expected the state of a training by regression, got one by specnet2 neighbor\. Use the same --method and --scheme, or another --checkpoint file\.\n$/,
      ],
      [
        () => embed('--hidden', '16', '--moments', 'tracked', '--checkpoint', state),
        /expected moments 'corrected', as the state has, got 'tracked'\.\n$/,
      ],
      [
        () => run(['embed', few, '--method', 'specnet2', '--hidden', '16', '--checkpoint', state]),
        /expected the state of a training on 100 points, got 300\./,
      ],
      [() => embed('--checkpoint', few), /: expected a file that begins with specnet, got '/],
      [() => embed('--checkpoint', folder), /expected --checkpoint .* to be a file that can be written, got EISDIR/],
      [
        () => embed('--checkpoint', path('none/x')),
        /expected --checkpoint .*x to be a file that can be written, got ENOENT/,
      ],
    ];
    await forEachInOrder(refused, async ([outcome, message]) => {
      const { code, err } = await outcome();
      assert.is(code, 1);
      assert.match(err, message);
    });
    assert.equal(readFileSync(state), bytes);
    // Neither stores rows, and they are still distinguished.
    const local = path('local.state');
    const quick = ['--hidden', '16', '--epochs', '1', '--checkpoint', local];
    assert.is((await embed('--scheme', 'local', ...quick)).code, 0);
    const { code, err } = await embed('--scheme', 'full', ...quick);
    assert.is(code, 1);
    assert.match(
      err,
      /local\.state: expected the state of a training by specnet2 full, got one by specnet2 local\. Use the same --method and --scheme, or another --checkpoint file\.\n$/,
    );
  }));

test('cluster by a model: the clusters of the estimator, and the model that gave the coordinates', () =>
  withMoons(async (path) => {
    const table = await readTable(readFileSync(path('moons.csv')));
    const clusters = await new SpectralClustering({ clusters: 2, seed: 1 }).fit(table);
    const model = path('c.specnet');
    const report = await json(['cluster', path('moons.csv'), '--clusters', '2', '--seed', '1', '--model', model]);
    assert.equal(
      Object.keys(report).join(' '),
      'labels sizes clusters assign choice stability quality warnings converged seconds agreement table',
    );
    assert.equal(report.labels, [...clusters.labels]);
    assert.equal(report.sizes, [...clusters.sizes]);
    assert.equal(new Uint8Array(readFileSync(model)), saveModel(clusters.base.model));
    const trained = ['cluster', path('moons.csv'), '--clusters', '2', ...network, '-k', '2', '--epochs', '1'];
    assert.is((await json(trained)).labels.length, 300);
  }));

test('export writes the saved model and describes it', () =>
  withMoons(async (path) => {
    const [model, out] = [path('m.specnet'), path('m.onnx')];
    await json(['embed', path('moons.csv'), '--hidden', '24', '--model', model]);
    const report = await json(['export', model, '--out', out]);
    const bytes = exportOnnx(loadModel(readFileSync(model)));
    assert.equal(report, { model: 'network', inputs: 2, outputs: 2, opset: 17, bytes: bytes.length });
    assert.equal(new Uint8Array(readFileSync(out)), bytes);
    const people = await run(['export', model, '--out', out]);
    assert.match(people.out, /m\.onnx: network model from 2 columns to 2 coordinates, ONNX opset 17, \d+ KiB\n$/);
    const refused = await run(['export', path('moons.csv'), '--out', path('other.onnx')]);
    assert.is(refused.code, 1);
    assert.match(refused.err, /moons\.csv: expected a file that begins with specnet, got '.*'\./);
    assert.not(existsSync(path('other.onnx')));
  }));

test('damaged models, points of another width and other files are refused', () =>
  withMoons(async (path, folder) => {
    const model = path('m.specnet');
    assert.is((await run(['embed', path('moons.csv'), '--model', model])).code, 0);
    const bytes = readFileSync(model);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(path('damaged.specnet'), bytes);
    const wide = put(folder, 'wide.csv', '1,2,3\n4,5,6\n');
    const refused: [string[], RegExp][] = [
      [
        [path('damaged.specnet'), wide],
        /damaged\.specnet: expected an intact file, got a wrong checksum\. It is damaged/,
      ],
      [[model, wide], /wide\.csv: expected 2 columns as in fit, or a header with their names, got 3 columns\.\n$/],
      [[wide, path('moons.csv')], /wide\.csv: expected a file that begins with specnet, got '.*'\./],
      [[path('none.specnet'), wide], /none\.specnet: expected a file that can be read, got ENOENT/],
      [[model, path('none.csv')], /none\.csv: expected a file that can be read, got ENOENT/],
    ];
    await forEachInOrder(refused, async ([files, message]) => {
      const { code, out, err } = await run(['transform', ...files, '--out', path('t.csv')]);
      assert.is(code, 1);
      assert.is(out, '');
      assert.match(err, message);
      assert.not(existsSync(path('t.csv')));
    });
    const many = await run(['embed', path('moons.csv'), '-k', '300']);
    assert.is(many.code, 1);
    assert.match(
      many.err,
      /^specnet embed: expected at most 299 components, one less than the number of points, got 300\.\n$/,
    );
  }));

test('transform prints a summary of the coordinates', () =>
  withMoons(async (path) => {
    await json(['embed', path('moons.csv'), '--model', path('m.specnet')]);
    const { out } = await run(['transform', path('m.specnet'), path('unseen.npy')]);
    assert.match(out, /unseen\.npy: 300 points of 2 columns; landmarks model of 2 coordinates\n\n +min +mean +max\n/);
    assert.match(out, /\npsi2 +-[\d.]+ +-?[\d.e-]+ +[\d.]+\n\nDone in .*\.\n$/);
  }));

test('threads are set for every command, and no result depends on them', () =>
  withMoons(async (path) => {
    const seen: unknown[] = [];
    const found: number[][] = [];
    await forEachInOrder(['1', '2'], async (threads) => {
      const { out } = await run(['check', '--threads', threads, '--json']);
      seen.push(JSON.parse(out).simd.threads);
      found.push((await json(['embed', path('moons.csv'), '--threads', threads])).eigenvalues);
    });
    assert.equal(seen, [1, 2]);
    assert.equal(found[0], found[1]);
    const before = simdStatus();
    await run(['transform', '--threads', '3', '--help']);
    assert.equal(simdStatus(), before, 'help does nothing');
  }));

test.run();
