/** Export of models to ONNX, so that they run without this library. */

import { badKind, badValue } from '../../core/check.ts';
import { type ResolvedMetric, resolveMetric } from '../../graph/neighbors/metric.ts';
import type { Activation } from '../../kernels/types.ts';
import type { Network } from '../../network/bodies/network.ts';
import { toDense } from '../../sparse/inspect.ts';
import { isSparse } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { inputsOfModel, type LandmarkModel, type Model, outputsOfModel } from '../model/model.ts';
import type { Preprocessing } from '../model/preprocess.ts';
import { OnnxGraph, type Port, type Value } from './onnx-graph.ts';

const operators: Record<Exclude<Activation, 'identity'>, string> = {
  relu: 'Relu',
  softplus: 'Softplus',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
};

/** The number of candidates beyond those needed, since distances from products may rank the last candidates wrongly. */
const spare = 6;

/**
 * The bytes of an ONNX file of opset 17 with the input `points` and the output `coordinates`, one row per point, of any
 * number of rows. Points are in single precision, or in double precision if the model preprocesses them, scales rows to length
 * one, or has a center, which is subtracted before they are rounded. ONNX has no sparse input: points are dense, and so are landmarks
 * that were sparse in the model.
 */
export function exportOnnx(model: Model): Uint8Array {
  const caller = 'exportOnnx';
  if (model?.kind !== 'landmarks' && model?.kind !== 'network') {
    throw badKind(caller, 'a model', model, 'Pass `fitted.model`, or the result of loadModel.');
  }
  if (model.kind === 'network' && model.network.precision !== 'single') {
    throw badValue(caller, 'a network in single precision', model.network.precision);
  }
  const { center, eigenvalues } = model;
  const metric = resolveMetric(caller, model.metric ?? {});
  if (model.kind === 'landmarks' && metric.power !== 2) {
    const remedy = 'Fit a network, with hidden: [64, 64]: its points need no distances.';
    throw badValue(caller, 'landmarks under a Euclidean, cosine or correlation metric', `'${metric.metric}'`, remedy);
  }
  const isDouble = Boolean(center || model.preprocessing) || isAngle(metric);
  const points: Port = { name: 'points', type: isDouble ? 'double' : 'single', shape: ['rows', inputsOfModel(model)] };
  const coordinates: Port = { name: 'coordinates', type: 'single', shape: ['rows', outputsOfModel(model)] };
  const graph = new OnnxGraph();
  const prepared = model.preprocessing ? addPreprocessing(graph, points.name, model.preprocessing) : points.name;
  const scaled = isAngle(metric) ? scaleRows(graph, prepared, metric.metric === 'correlation') : prepared;
  const centered = center ? subtract(graph, scaled, 'center', center) : scaled;
  const rounded = isDouble ? graph.cast(centered, 'single') : centered;
  if (model.kind === 'network') addLayers(graph, rounded, model.network, coordinates.name);
  else addLandmarks(graph, rounded, model, coordinates.name);
  return graph.write(points, coordinates, { eigenvalues: eigenvalues.join(' ') });
}

function isAngle({ metric }: ResolvedMetric): boolean {
  return metric === 'cosine' || metric === 'correlation';
}

/** What `preprocess` does. */
function addPreprocessing(graph: OnnxGraph, points: Value, { scale, columns, axes }: Preprocessing): Value {
  const rows = scale === 'unit' ? scaleRows(graph, points, false) : points;
  if (!columns) return rows;
  const { shift, divisor } = columns;
  const shifted = subtract(graph, rows, 'shift', shift);
  // A product with 0 in place of a division by 0.
  const divided = graph.node('Div', [
    shifted,
    vector(
      graph,
      'divisor',
      divisor.map((value) => value || 1),
    ),
  ]);
  const isKept = divisor.map((value) => Number(value !== 0));
  const scaled = isKept.includes(0) ? graph.node('Mul', [divided, vector(graph, 'kept', isKept)]) : divided;
  return axes ? graph.node('MatMul', [scaled, graph.constant('axes', axes)]) : scaled;
}

/** Rows of length one, as `unitRows` makes them. Where a row has length 0 the coordinates are NaN. */
function scaleRows(graph: OnnxGraph, points: Value, isCorrelation: boolean): Value {
  const columns = graph.integer(1);
  const mean = (): Value => {
    const sum = graph.node('ReduceSum', [points, columns], { keepdims: 1 });
    const count = graph.cast(graph.node('Slice', [graph.node('Shape', [points]), columns, graph.integer(2)]), 'double');
    return graph.node('Div', [sum, count]);
  };
  const rows = isCorrelation ? graph.node('Sub', [points, mean()]) : points;
  const squares = graph.node('ReduceSum', [graph.node('Mul', [rows, rows]), columns], { keepdims: 1 });
  return graph.node('Div', [rows, graph.node('Sqrt', [squares])]);
}

function subtract(graph: OnnxGraph, points: Value, name: string, values: Float64Array): Value {
  return graph.node('Sub', [points, vector(graph, name, values)]);
}

function vector(graph: OnnxGraph, name: string, values: Float64Array): Value {
  return graph.constant(name, new Tensor(values, [values.length]));
}

function addLayers(graph: OnnxGraph, points: Value, { layers }: Network, result: string): void {
  let values = points;
  for (const [l, { weights, bias, activation }] of layers.entries()) {
    const parameters = [graph.constant(`weights.${l}`, weights), graph.constant(`bias.${l}`, bias)];
    const name = l + 1 < layers.length ? `product.${l}` : result;
    values = graph.node('Gemm', [values, ...parameters], {}, name);
    if (activation !== 'identity') values = graph.node(operators[activation], [values]);
  }
}

/** The features of `Landmarks` and the head. Distances: double precision, rounded to single. Ties: the smaller index. */
function addLandmarks(graph: OnnxGraph, points: Value, { landmarks, head }: LandmarkModel, result: string): void {
  const { neighbors: r, outputs: count } = landmarks;
  const { distances, indices } = nearest(graph, points, landmarks, Math.min(r + 1 + spare, count), r + 1);
  const [zero, one, nearer, all] = [0, 1, r, r + 1].map((value) => graph.integer(value));
  const squares = graph.cast(distances, 'double');
  const near = graph.node('Slice', [squares, zero, nearer, one]);
  const beyond = graph.node('Slice', [squares, nearer, all, one]);
  const unity = graph.constant('one', new Tensor(Float64Array.of(1), [1]));
  const weights = graph.node('Sub', [unity, graph.node('Div', [near, beyond])]);
  const sum = graph.node('ReduceSum', [weights, one], { keepdims: 1 });
  // The sum is 0 if all distances are equal, and NaN if they are all 0. The weights are then equal.
  const isPositive = graph.node('Greater', [sum, graph.constant('nothing', new Tensor(Float64Array.of(0), [1]))]);
  const equalWeight = graph.constant('alike', new Tensor(Float64Array.of(1 / r), [1]));
  const normalized = graph.node('Where', [isPositive, graph.node('Div', [weights, sum]), equalWeight]);
  const features = graph.node('Unsqueeze', [graph.cast(normalized, 'single'), one]);
  const chosen = graph.node('Slice', [indices, zero, nearer, one]);
  const rows = graph.node('Gather', [graph.constant('head.weights', head.weights), chosen]);
  const product = graph.node('Squeeze', [graph.node('MatMul', [features, rows]), one]);
  graph.node('Add', [product, graph.constant('head.bias', head.bias)], {}, result);
}

/** The nearest landmarks, nearest first: candidates by products, then distances by differences, in double precision. */
function nearest(
  graph: OnnxGraph,
  points: Value,
  landmarks: LandmarkModel['landmarks'],
  candidates: number,
  count: number,
): { distances: Value; indices: Value } {
  const centers = isSparse(landmarks.centers) ? toDense(landmarks.centers) : landmarks.centers;
  const given = graph.constant('landmarks', centers);
  const places = centers.precision === 'double' ? given : graph.cast(given, 'double');
  const x = graph.cast(points, 'double');
  const halves = graph.constant('halves', new Tensor(halfSquares(centers), [centers.rows]));
  const closeness = graph.node('Sub', [halves, graph.node('Gemm', [x, places], { transB: 1 })]);
  const width = graph.integer(candidates);
  const smallest = { axis: 1, largest: 0, sorted: 1 };
  graph.node('TopK', [closeness, width], smallest, 'candidate', 2);
  graph.node('TopK', ['candidate.1', width], smallest, 'by index', 2);
  const differences = graph.node('Sub', [
    graph.node('Unsqueeze', [x, graph.integer(1)]),
    graph.node('Gather', [places, 'by index']),
  ]);
  const squares = graph.node('Mul', [differences, differences]);
  const measured = graph.node('ReduceSum', [squares, graph.integer(2)], { keepdims: 0 });
  graph.node('TopK', [graph.cast(measured, 'single'), graph.integer(count)], smallest, 'nearest', 2);
  return { distances: 'nearest', indices: graph.node('GatherElements', ['by index', 'nearest.1'], { axis: 1 }) };
}

/** ‖c‖²/2 of each row c. ‖c‖²/2 − x·c ranks the rows as ‖x − c‖² does. */
function halfSquares({ rows, cols, data }: Tensor): Float64Array {
  const result = new Float64Array(rows);
  for (let i = 0; i < data.length; i++) result[Math.floor(i / cols)] += data[i] ** 2 / 2;
  return result;
}
