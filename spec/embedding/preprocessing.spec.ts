/** Scales and principal components belong to the model: fitted to the points of `fit`, applied by `transform`, saved, exported. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sequentially } from '../../bench/sequentially.ts';
import { blobs, texts } from '../../datasets/index.ts';
import {
  adjustedRandIndex,
  type CsrMatrix,
  DiffusionMap,
  exportOnnx,
  loadModel,
  type Preprocessing,
  Random,
  readTable,
  saveModel,
  type Scale,
  SpectralClustering,
  SpectralEmbedding,
  type SpectralEmbeddingOptions,
  tensor,
  type Tensor,
  transform,
} from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { fitPreprocessingSteps } from '../../lib/embedding/preprocessing/fit-preprocessing.ts';
import { preprocess } from '../../lib/embedding/model/preprocess.ts';
import { fromDense, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { messages, readMessage, texts as textsOf } from './protobuf-reader.ts';

const test = suite('preprocessing');

/** Five columns in units of their own, far from 0. The classes are in all of them but the last, which is noise. */
const { points: plain, labels } = blobs({ n: 150, centers: 3, dimension: 4, deviation: 1, box: [-6, 6], seed: 4 });
const units = [1, 0.01, 5, 1, 3000];
const random = new Random('noise');
const points = zeros([150, 5], 'double');
for (let i = 0; i < 150; i++) {
  for (let j = 0; j < 5; j++) {
    points.data[5 * i + j] = 7 + units[j] * (j < 4 ? plain.data[4 * i + j] : random.normal());
  }
}

const columnOf = ({ rows, cols, data }: Tensor, j: number): number[] =>
  Array.from({ length: rows }, (_, i) => data[i * cols + j]);
const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const prepare = (given: Tensor | CsrMatrix, options: { scale?: Scale; pca?: number }, names?: string[]) =>
  runSync(fitPreprocessingSteps('fit', given, options, names));
const near = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): boolean =>
  a.length === b.length && Array.from(a).every((value, i) => Math.abs(value - b[i]) <= tolerance);

test('every scale of columns is what its name says', () => {
  const quantile = (values: number[], place: number): number => {
    const sorted = values.toSorted((a, b) => a - b);
    const low = Math.floor(place);
    return sorted[low] * (1 - (place - low)) + (sorted[low + 1] ?? 0) * (place - low);
  };
  const references: Record<string, (values: number[]) => number[]> = {
    standard: (values) => {
      const mean = meanOf(values);
      const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
      return values.map((value) => (value - mean) / deviation);
    },
    robust: (values) => {
      const width = quantile(values, 0.75 * 149) - quantile(values, 0.25 * 149);
      return values.map((value) => (value - quantile(values, 0.5 * 149)) / width);
    },
    range: (values) => {
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return values.map((value) => (value - least) / (most - least));
    },
  };
  for (const [scale, reference] of Object.entries(references)) {
    const { points: scaled, warnings } = prepare(points, { scale: scale as Scale });
    assert.equal(warnings, [], scale);
    for (let j = 0; j < 5; j++) {
      assert.ok(near(columnOf(scaled as Tensor, j), reference(columnOf(points, j)), 1e-11), `${scale}, column ${j}`);
    }
  }
  const ranged = prepare(points, { scale: 'range' }).points as Tensor;
  assert.equal([Math.min(...ranged.data), Math.max(...ranged.data)], [0, 1]);
});

test('unit gives rows of length one, dense or sparse, and sparse rows stay sparse', () => {
  const unit = prepare(points, { scale: 'unit' }).points as Tensor;
  for (let i = 0; i < 150; i++) {
    const row = Array.from(unit.data.subarray(5 * i, 5 * i + 5));
    assert.ok(Math.abs(row.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-14);
    assert.ok(Math.abs(row[0] * points.data[5 * i + 1] - row[1] * points.data[5 * i]) < 1e-12, 'same direction');
  }
  const sparse = fromDense(tensor([[3, 0, 4], [0, 0, 2]], 'double')); // oxfmt-ignore
  const scaled = prepare(sparse, { scale: 'unit' }).points as CsrMatrix;
  assert.equal(scaled.columns, sparse.columns);
  assert.equal(toDense(scaled).toArray(), [[0.6, 0, 0.8], [0, 0, 1]]); // oxfmt-ignore
});

test('principal components are the eigenvectors of the covariance, by falling variance, with fixed signs', () => {
  for (const scale of ['none', 'standard', 'robust', 'range', 'unit'] as const) {
    const { points: scaled } = prepare(points, { scale });
    const { points: components, preprocessing } = prepare(points, { scale, pca: 3 });
    const { axes } = preprocessing!;
    const before = Array.from({ length: 5 }, (_, j) => columnOf(scaled as Tensor, j));
    const means = before.map(meanOf);
    const covariance = before.map((a, i) => {
      return before.map((b, j) => meanOf(a.map((value, k) => (value - means[i]) * (b[k] - means[j]))));
    });
    const variances = Array.from({ length: 3 }, (_, k) => meanOf(columnOf(components as Tensor, k).map((x) => x * x)));
    const total = covariance.reduce((sum, row, i) => sum + row[i], 0);
    for (let k = 0; k < 3; k++) {
      const axis = columnOf(axes!, k);
      assert.ok(Math.abs(meanOf(columnOf(components as Tensor, k))) < 1e-12 * Math.sqrt(total), 'mean 0');
      const image = covariance.map((row) => row.reduce((sum, value, j) => sum + value * axis[j], 0));
      const expected = axis.map((value) => variances[k] * value);
      assert.ok(near(image, expected, 1e-9 * total), `${scale}: axis ${k} is an eigenvector`);
      assert.ok(k === 0 || variances[k] <= variances[k - 1], 'by falling variance');
      assert.is(Math.max(...axis), Math.max(...axis.map(Math.abs)), 'the largest entry is positive');
      for (let l = 0; l <= k; l++) {
        const product = axis.reduce((sum, value, j) => sum + value * axes!.data[3 * j + l], 0);
        assert.ok(Math.abs(product - Number(l === k)) < 1e-12, 'orthonormal');
      }
    }
  }
});

test('points with more columns than rows have the components of their Gram matrix', () => {
  const rows = 12;
  const wide = zeros([rows, 400], 'double');
  const draw = new Random(3);
  for (let i = 0; i < wide.size; i++) wide.data[i] = draw.normal() * (1 + (i % 7));
  const { points: components } = prepare(wide, { scale: 'none', pca: rows - 1 });
  // All of them keep every distance.
  const distance = ({ cols, data }: Tensor, i: number, j: number): number => {
    return Math.hypot(...Array.from({ length: cols }, (_, c) => data[i * cols + c] - data[j * cols + c]));
  };
  for (let i = 1; i < rows; i++) {
    assert.ok(Math.abs(distance(components as Tensor, 0, i) / distance(wide, 0, i) - 1) < 1e-9);
  }
});

const options: SpectralEmbeddingOptions[] = [
  { scale: 'standard' },
  { scale: 'robust' },
  { scale: 'range' },
  { scale: 'unit' },
  { pca: 2, scale: 'none' },
  { pca: 3, scale: 'standard' },
  { pca: 3, scale: 'unit' },
  { pca: 3, scale: 'robust', metric: 'cosine' },
];

test('transform takes raw rows, and gives those of fit their coordinates, also by a model from a file', async () => {
  await forEachInOrder(options, async (given) => {
    await forEachInOrder([{}, { method: 'ritz', hidden: [16] } as const], async (rest) => {
      const name = JSON.stringify({ ...given, ...rest });
      const fitted = await new SpectralEmbedding({ ...given, ...rest }).fit(points);
      assert.equal(fitted.transform(points), fitted.embedding, name);
      const bytes = saveModel(fitted.model);
      const loaded = loadModel(bytes);
      assert.equal(loaded.preprocessing, fitted.model.preprocessing, name);
      assert.equal(transform(loaded, points), fitted.embedding, name);
      assert.equal(saveModel(loaded), bytes, name);
      assert.throws(() => transform(loaded, [[1, 2, 3]]), /expected 5 columns as in fit, got 3/);
    });
  });
});

test('a scaled fit is the fit of scaled points, by all estimators', async () => {
  const scaled = prepare(points, { scale: 'standard' }).points as Tensor;
  const given = { scale: 'standard', clusters: 3 } as const;
  const [raw, same] = await sequentially([points, scaled], async (rows) => {
    const scale = rows === points ? 'standard' : 'none';
    const clustering = await new SpectralClustering({ ...given, scale }).fit(rows);
    const diffusion = await new DiffusionMap({ scale }).fit(rows);
    return [clustering.base.embedding.data, clustering.labels, clustering.predict(rows), diffusion.transform(rows)];
  });
  assert.equal(raw, same);
});

test('the number of clusters is chosen by the graph of scaled points', async () => {
  const { sizes, base } = await new SpectralClustering({ clusters: 'auto', scale: 'standard' }).fit(points);
  assert.is(sizes.length, 3);
  const { graph } = await new SpectralEmbedding({ scale: 'standard' }).fit(points);
  assert.equal(base.graph.weights.columns, graph.weights.columns);
});

test('scaling finds classes that a wide column of noise hides', async () => {
  const scores = await sequentially(['none', 'standard'] as const, async (scale) => {
    const { labels: found } = await new SpectralClustering({ clusters: 3, scale }).fit(points);
    return adjustedRandIndex(found, labels!);
  });
  assert.ok(scores[0] < 0.1 && scores[1] > 0.9, `${scores}`);
});

test('columns of different spread are pointed out with both options, unless a scale was given', async () => {
  const warn = async (given: SpectralEmbeddingOptions, rows: Tensor = points): Promise<readonly string[]> =>
    (await new SpectralEmbedding(given).fit(rows)).diagnostics.warnings.filter((text) => text.includes('spread'));
  const [warning, ...others] = await warn({});
  assert.equal(others, []);
  assert.match(
    warning,
    /^Columns differ in spread by a factor of [\d,]+: column 4 has standard deviation [\d.e+]+, column 1 0\.0\d+\. .*scale: 'standard' .* scale: 'none'/,
  );
  assert.equal(await warn({ scale: 'none' }), []);
  assert.equal(await warn({ scale: 'range' }), []);
  assert.is((await warn({ pca: 2 })).length, 1);
  assert.equal(await warn({}, prepare(points, { scale: 'standard' }).points as Tensor), []);
  assert.equal(await warn({}, plain), []);
});

test('the warning begins above a factor of ten, and leaves out constant columns and those that are mostly 0', () => {
  const table = (factor: number, rest: (i: number) => number): Tensor =>
    tensor(Array.from({ length: 20 }, (_, i) => [i % 2 ? 2 : 1, factor * (i % 2 ? 2 : 1), rest(i)]));
  assert.is(
    prepare(
      table(10, () => 3),
      {},
    ).warnings.length,
    0,
  );
  assert.is(
    prepare(
      table(10.01, () => 3),
      {},
    ).warnings.length,
    1,
  );
  assert.is(
    prepare(
      table(1, (i) => (i < 9 ? 1000 : 0)),
      {},
    ).warnings.length,
    0,
  );
  assert.is(
    prepare(
      table(1, (i) => (i < 10 ? 1000 : 0)),
      {},
    ).warnings.length,
    1,
  );
});

test('constant columns become 0, also in new rows, and are named', async () => {
  const rows = plain.toArray().map((row, i) => row.concat(5, i % 10 === 0 ? 1 : 0, 0.1 + 0.2 * (i % 2) * 1e-17));
  const given = tensor(rows, 'double');
  for (const scale of ['standard', 'robust', 'range'] as const) {
    const { points: scaled, preprocessing, warnings } = prepare(given, { scale });
    assert.ok((scaled as Tensor).data.every(Number.isFinite), scale);
    assert.equal(new Set(columnOf(scaled as Tensor, 4)), new Set([0]));
    const strange = tensor([[1, 2, 3, 4, 1e9, 1, 0.1]], 'double');
    assert.is((preprocess('fit', preprocessing, strange) as Tensor).data[4], 0);
    assert.is(warnings[0], '2 columns (column 4, column 6) are constant and become 0.');
    assert.equal(
      warnings.slice(1),
      scale === 'robust' ? ['Column 5 has interquartile range 0; the standard deviation scales it instead.'] : [],
    );
  }
  const fitted = await new SpectralEmbedding({ scale: 'standard' }).fit(given);
  assert.match(fitted.diagnostics.warnings.join(), /constant and become 0/);
});

test('a table is encoded, then scaled, and new tables are as well', async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i % 7},${1000 * (i % 5) + i},${i % 2 ? 'red' : 'blue'},3`);
  const text = `a,b,color,same\n${lines.join('\n')}\n`;
  const table = await readTable(text, { categorical: ['color'] });
  const fitted = await new SpectralEmbedding({ scale: 'standard' }).fit(table);
  assert.is(fitted.model.preprocessing!.columns!.shift.length, 5);
  assert.equal(fitted.diagnostics.warnings.slice(-1), ["'same' is constant and becomes 0."]);
  const loaded = loadModel(saveModel(fitted.model));
  assert.equal(transform(loaded, table), fitted.embedding);
  const projected = await new SpectralEmbedding({ scale: 'standard', pca: 2 }).fit(table);
  assert.equal(transform(loadModel(saveModel(projected.model)), table), projected.embedding);
  const unscaled = await new SpectralEmbedding().fit(table);
  assert.match(unscaled.diagnostics.warnings.join(), /'b' has standard deviation .*, 'color=\w+' 0\.5/);
});

test('sparse points can have unit rows, and nothing that would make them dense', async () => {
  const { points: words } = texts({ n: 120, words: 500, topics: 3, seed: 1 });
  const fitted = await new SpectralEmbedding({ scale: 'unit' }).fit(words);
  assert.equal(fitted.transform(words), fitted.embedding);
  assert.equal(transform(loadModel(saveModel(fitted.model)), words), fitted.embedding);
  const cosine = await new SpectralEmbedding({ metric: 'cosine' }).fit(words);
  assert.equal(fitted.embedding, cosine.embedding, 'the same as the metric cosine');
  assert.match(
    await refusalOf(new SpectralEmbedding({ scale: 'standard' }).fit(words)),
    /SpectralEmbedding\.fit: expected scale 'unit' or 'none' for sparse points, got 'standard'\. .* dense\. Take scale 'unit'.*toDense/,
  );
  assert.match(
    await refusalOf(new DiffusionMap({ pca: 3 }).fit(words)),
    /DiffusionMap\.fit: expected dense points for pca, got sparse points\. .* Omit pca, or pass toDense\(points\)\./,
  );
  // A model of dense points takes sparse rows.
  const dense = await new SpectralEmbedding({ scale: 'standard', pca: 4 }).fit(points);
  assert.equal(dense.transform(fromDense(points)), dense.embedding);
});

test('points that cannot be scaled or projected are refused with a reason', async () => {
  const fit = (given: SpectralEmbeddingOptions, rows: Tensor = points) =>
    refusalOf(new SpectralEmbedding(given).fit(rows));
  assert.throws(() => new SpectralEmbedding({ pca: 0 }), /expected pca to be a whole number, at least 1, got 0/);
  assert.throws(() => new SpectralEmbedding({ scale: 'max' as never }), /expected scale to be 'none' or .*, got max/);
  assert.match(await fit({ pca: 6 }), /expected pca of at most 5, the number of columns, got 6/);
  assert.match(await fit({ pca: 4 }, points.rowRange(0, 4)), /at most 3, one less than the number of points, got 4/);
  const flat = tensor(Array.from({ length: 30 }, (_, i) => [i, 2 * i, i % 5]), 'double'); // oxfmt-ignore
  assert.match(await fit({ pca: 3 }, flat), /pca of at most 2, the number of dimensions that the points span, got 3/);
  const zero = points.copy('double');
  zero.data.fill(0, 10, 15);
  assert.match(await fit({ scale: 'unit' }, zero), /rows that are not all zero for scale 'unit', got row 2\. Leave/);
  const rays = tensor([[1, 2], [2, 4], [3, 6]]); // oxfmt-ignore
  assert.match(await fit({ scale: 'unit' }, rays), /points that differ from each other/);
  const tiny = tensor([[1, 1e-310], [2, 2e-310], [4, 9e-310]], 'double'); // oxfmt-ignore
  assert.match(await fit({ scale: 'range' }, tiny), /a spread of column 1 from 1e-300 to 1e300, got 8/);
});

test('very large and very small columns are scaled without overflow', () => {
  const rows = tensor(plain.toArray().map(([a, b]) => [1e-290 * a, 1e290 * b]), 'double'); // oxfmt-ignore
  const scaled = prepare(rows, { scale: 'standard' }).points as Tensor;
  const expected = prepare(tensor(plain.toArray().map(([a, b]) => [a, b])), { scale: 'standard' }).points as Tensor; // oxfmt-ignore
  assert.ok(near(scaled.data, expected.data, 1e-9));
});

test('ONNX has the preprocessing as nodes, in double precision', async () => {
  const operators = async (given: SpectralEmbeddingOptions, rows: Tensor = points): Promise<string[]> => {
    const { model } = await new SpectralEmbedding({ ...given, method: 'ritz', hidden: [4] }).fit(rows);
    const [graph] = messages(readMessage(exportOnnx(model)), 7);
    const names = messages(graph, 1).map((node) => textsOf(node, 4)[0]);
    return names.slice(0, names.indexOf('Gemm'));
  };
  assert.equal(await operators({ scale: 'standard' }), ['Sub', 'Div', 'Cast']);
  assert.equal(await operators({ scale: 'unit' }), ['Mul', 'ReduceSum', 'Sqrt', 'Div', 'Cast']);
  assert.equal(await operators({ scale: 'robust', pca: 2 }), ['Sub', 'Div', 'MatMul', 'Cast']);
  const constant = tensor(plain.toArray().map((row) => row.concat(1)), 'double'); // oxfmt-ignore
  assert.equal(await operators({ scale: 'range' }, constant), ['Sub', 'Div', 'Mul', 'Cast']);
});

test('a file whose preprocessing contradicts itself is refused', async () => {
  const { model } = await new SpectralEmbedding({ scale: 'standard', pca: 3 }).fit(points);
  const saving = (changed: Partial<Preprocessing>) => () =>
    saveModel({ ...model, preprocessing: { ...model.preprocessing!, ...changed } });
  saving({})();
  const { shift, divisor } = model.preprocessing!.columns!;
  assert.throws(saving({ scale: 'max' as never }), /the model\.scale to be 'none' or/);
  assert.throws(saving({ columns: null }), /saveModel: expected/);
  assert.throws(saving({ axes: zeros([5, 2], 'double') }), /saveModel: expected the axes of shape 5×3, got 5×2/);
  assert.throws(saving({ axes: null }), /saveModel: expected/);
  assert.throws(saving({ columns: { shift: shift.slice(1), divisor } }), /the divisor of shape 4, got 5/);
  assert.throws(saving({ columns: { shift, divisor: divisor.map(() => NaN) } }), /finite numbers in the divisor/);
  assert.throws(saving({ scale: 'none', axes: null }), /saveModel: expected 3 tensors, got 5/);
});

test.run();
