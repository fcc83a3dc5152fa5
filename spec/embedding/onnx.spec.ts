/** Exported files are valid ONNX and contain the model. `npm run check:onnx` compares the results in onnxruntime. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportOnnx, type Model, Tensor } from '../../lib/index.ts';
import { chooseLandmarks, Mlp, type MlpOptions } from '../../lib/doors/network.ts';
import { message } from '../../lib/embedding/onnx/protobuf.ts';
import { normals } from './normals.ts';
import { type Message, messages, numbers, readMessage, texts } from './protobuf-reader.ts';

const test = suite('onnx');

const eigenvalues = Float64Array.of(1 / 3, 0.1);

function networkModel(options: MlpOptions = {}, center: Float64Array | null = null): Model {
  return { kind: 'network', network: new Mlp([3, 7, 5, 2], { seed: 2, ...options }), center, eigenvalues };
}

function landmarkModel(count = 40, center: Float64Array | null = null): Model & { kind: 'landmarks' } {
  const landmarks = chooseLandmarks(normals([50, 3], 'points'), { count });
  return {
    kind: 'landmarks',
    landmarks,
    head: { weights: normals([count, 2], 'weights'), bias: normals([2], 'bias') },
    center,
    eigenvalues,
  };
}

/** The names in onnx.proto. */
interface File {
  readonly model: Message;
  readonly graph: Message;
  readonly nodes: readonly { operator: string; inputs: string[]; outputs: string[] }[];
  readonly constants: ReadonlyMap<string, Tensor | bigint[]>;
}

function open(bytes: Uint8Array): File {
  const model = readMessage(bytes);
  const [graph] = messages(model, 7);
  const nodes = messages(graph, 1).map((node) => ({
    operator: texts(node, 4)[0],
    inputs: texts(node, 1),
    outputs: texts(node, 2),
  }));
  const constants = messages(graph, 5).map((constant) => [texts(constant, 8)[0], tensorOf(constant)] as const);
  assert.is(new Map(constants).size, constants.length, 'each has a name of its own');
  return { model, graph, nodes, constants: new Map(constants) };
}

function tensorOf(constant: Message): Tensor | bigint[] {
  const shape = numbers(constant, 1);
  const { buffer } = constant.get(9)![0] as Uint8Array;
  const [type] = numbers(constant, 2);
  if (type === 7) return [...new BigInt64Array(buffer as ArrayBuffer)];
  const data = type === 1 ? new Float32Array(buffer as ArrayBuffer) : new Float64Array(buffer as ArrayBuffer);
  return new Tensor(data, shape);
}

/** Name, element type, and sizes, with names for the dynamic ones. */
function portOf(port: Message): { name: string; type: number; shape: (number | string)[] } {
  const [tensor] = messages(messages(port, 2)[0], 1);
  const sizes = messages(messages(tensor, 2)[0], 1);
  const shape = sizes.map((size) => numbers(size, 1)[0] ?? texts(size, 2)[0]);
  return { name: texts(port, 1)[0], type: numbers(tensor, 1)[0], shape };
}

function sameTensor(found: Tensor | bigint[] | undefined, expected: Tensor): void {
  assert.ok(found instanceof Tensor);
  assert.equal(found.shape, expected.shape);
  assert.equal(found.data, expected.data.slice());
}

test('whole numbers of any size, texts and bytes are written as the format wants them', () => {
  // The examples in its documentation.
  assert.equal([...message([1, 150])], [0x08, 0x96, 0x01]);
  assert.equal([...message([2, 'testing'])], [0x12, 7, ...new TextEncoder().encode('testing')]);
  assert.equal([...message([3, message([1, 150])])], [0x1a, 3, 0x08, 0x96, 0x01]);
  assert.equal([...message([16, 0])], [0x80, 0x01, 0x00]);
  for (const value of [0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
    assert.equal(numbers(readMessage(message([20, value])), 20), [value]);
  }
  const long = new Uint8Array(300).fill(9);
  assert.equal(readMessage(message([1, long], [1, ''], [2, 'ψ'])).get(1), [long, new Uint8Array()]);
});

for (const [name, model] of Object.entries({ network: networkModel(), landmarks: landmarkModel() })) {
  test(`the file of a ${name} model says version, opset, input, output and eigenvalues`, () => {
    const { model: file, graph } = open(exportOnnx(model));
    assert.equal(numbers(file, 1), [8], 'version of the format');
    assert.equal(texts(file, 2), ['specnet']);
    const opsets = messages(file, 8).map((set) => [texts(set, 1)[0], numbers(set, 2)[0]]);
    assert.equal(opsets, [['', 17]]);
    assert.equal(messages(graph, 11).map(portOf), [{ name: 'points', type: 1, shape: ['rows', 3] }]);
    assert.equal(messages(graph, 12).map(portOf), [{ name: 'coordinates', type: 1, shape: ['rows', 2] }]);
    const facts = messages(file, 14).map((fact) => [texts(fact, 1)[0], texts(fact, 2)[0]]);
    assert.equal(facts, [['eigenvalues', '0.3333333333333333 0.1']]);
  });

  test(`every value in the file of a ${name} model is made before it is read, and once`, () => {
    for (const center of [null, Float64Array.of(1e6, 0, -1e9)]) {
      const { nodes, constants } = open(exportOnnx({ ...model, center }));
      const known = new Set(['points', ...constants.keys()]);
      const used = new Set<string>();
      for (const { operator, inputs, outputs } of nodes) {
        for (const input of inputs) assert.ok(known.has(input), `${operator} reads ${input}`);
        for (const output of outputs) assert.not(known.has(output), `${operator} makes ${output} again`);
        for (const input of inputs) used.add(input);
        for (const output of outputs) known.add(output);
      }
      assert.ok(known.has('coordinates'));
      assert.equal(
        [...constants.keys(), 'points'].filter((constant) => !used.has(constant)),
        [],
        'nothing is left over',
      );
    }
  });
}

test('a network is a Gemm and an activation a layer, with its weights to the bit', () => {
  const activations = { relu: 'Relu', softplus: 'Softplus', tanh: 'Tanh', sigmoid: 'Sigmoid' } as const;
  for (const [activation, operator] of Object.entries(activations)) {
    const model = networkModel({ activation: activation as keyof typeof activations });
    const { nodes, constants } = open(exportOnnx(model));
    assert.equal(
      nodes.map((node) => node.operator),
      ['Gemm', operator, 'Gemm', operator, 'Gemm'],
    );
    assert.is(constants.size, 6);
    if (model.kind !== 'network') continue;
    for (const [l, { weights, bias }] of model.network.layers.entries()) {
      sameTensor(constants.get(`weights.${l}`), weights);
      sameTensor(constants.get(`bias.${l}`), bias);
    }
  }
});

test('landmarks and head are kept to the bit, and as many landmarks are looked at as there are', () => {
  for (const [count, candidates, nearest] of [
    [40, 23n, 17n],
    [20, 20n, 17n],
    [17, 17n, 17n],
    [5, 5n, 5n],
    [2, 2n, 2n],
  ] as const) {
    const model = landmarkModel(count);
    const { nodes, constants } = open(exportOnnx(model));
    sameTensor(constants.get('landmarks'), model.landmarks.centers as Tensor);
    sameTensor(constants.get('head.weights'), model.head.weights);
    sameTensor(constants.get('head.bias'), model.head.bias);
    const lengths = nodes.filter(({ operator }) => operator === 'TopK').map(({ inputs }) => constants.get(inputs[1]));
    assert.equal(lengths, [[candidates], [candidates], [nearest]]);
  }
});

test('a center is taken from points in double precision', () => {
  const center = Float64Array.of(1 / 3, 0, -1e9);
  for (const model of [networkModel({}, center), landmarkModel(20, center)]) {
    const { graph, nodes, constants } = open(exportOnnx(model));
    assert.equal(messages(graph, 11).map(portOf), [{ name: 'points', type: 11, shape: ['rows', 3] }]);
    sameTensor(constants.get('center'), new Tensor(center, [3]));
    assert.equal(
      nodes.slice(0, 2).map(({ operator, inputs }) => [operator, inputs[0]]),
      [
        ['Sub', 'points'],
        ['Cast', nodes[0].outputs[0]],
      ],
    );
  }
});

test('a column that was constant in fit is divided by one and multiplied by zero', () => {
  const columns = { shift: Float64Array.of(1, 2, 3), divisor: Float64Array.of(2, 0, 4) };
  const preprocessing = { scale: 'standard', columns, axes: null } as const;
  const { nodes, constants } = open(exportOnnx({ ...networkModel(), preprocessing }));
  sameTensor(constants.get('shift'), new Tensor(columns.shift, [3]));
  sameTensor(constants.get('divisor'), new Tensor(Float64Array.of(2, 1, 4), [3]));
  sameTensor(constants.get('kept'), new Tensor(Float64Array.of(1, 0, 1), [3]));
  assert.equal(
    nodes.slice(0, 3).map(({ operator }) => operator),
    ['Sub', 'Div', 'Mul'],
  );
});

test('landmarks under a metric that ONNX has no operators for are refused, with what to do', () => {
  const metrics = [
    { metric: 'manhattan' },
    { metric: 'chebyshev' },
    { metric: 'minkowski', minkowskiPower: 3 },
  ] as const;
  for (const metric of metrics) {
    assert.throws(
      () => exportOnnx({ ...landmarkModel(), metric }),
      new RegExp(`^exportOnnx: expected landmarks under a Euclidean, .*, got '${metric.metric}'\\. Fit a network`),
    );
    exportOnnx({ ...networkModel(), metric });
  }
});

test('anything but a model of fit is refused', () => {
  assert.throws(() => exportOnnx({} as never), /^exportOnnx: expected a model, got Object\. Pass `fitted\.model`/);
  assert.throws(() => exportOnnx(null as never), /^exportOnnx: expected a model, got null\./);
  assert.throws(
    () => exportOnnx(networkModel({ precision: 'double' })),
    /^exportOnnx: expected a network in single precision, got double\.$/,
  );
});

test.run();
