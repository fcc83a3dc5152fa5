/** Builder of ONNX graphs: nodes, whose operators read and write named values, and constants. */

import type { Tensor } from '../../tensor/tensor.ts';
import { type Field, message } from './protobuf.ts';

/** The version of the operator set, of 2022. Later runtimes support it as well. */
export const opset = 17;
/** The version of the file format that was released with the operator set. */
const irVersion = 8;

/** The numbers of the types in onnx.proto. */
const elementTypes = { single: 1, int64: 7, double: 11 } as const;
export type ElementType = keyof typeof elementTypes;

/** The type of integer attributes in onnx.proto. No others are needed here. */
const integerAttribute = 2;

/** The name of a value: an output of a node, an input of the graph, or a constant. */
export type Value = string;

/** An input or output of the graph. */
export interface Port {
  readonly name: string;
  readonly type: ElementType;
  /** A string names a size that is not fixed. */
  readonly shape: readonly (number | string)[];
}

export class OnnxGraph {
  readonly #nodes: Field[] = [];
  readonly #constants: Field[] = [];
  readonly #integers = new Set<Value>();

  /** Adds a node with one output `name`, or with several outputs `name`, `name.1`, …. Returns the first. */
  node(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, number>> = {},
    name = `${operator}.${this.#nodes.length}`,
    outputCount = 1,
  ): Value {
    const outputs = Array.from({ length: outputCount }, (_, k) => (k === 0 ? name : `${name}.${k}`));
    const body = message(
      ...inputs.map((input): Field => [1, input]),
      ...outputs.map((output): Field => [2, output]),
      [3, name],
      [4, operator],
      ...Object.entries(attributes).map(([key, value]): Field => [5, attribute(key, value)]),
    );
    this.#nodes.push([1, body]);
    return name;
  }

  constant(name: string, { shape, precision, data }: Pick<Tensor, 'shape' | 'precision' | 'data'>): Value {
    const bytes = new Uint8Array(data.length * data.BYTES_PER_ELEMENT);
    const view = new DataView(bytes.buffer);
    const set = precision === 'double' ? view.setFloat64.bind(view) : view.setFloat32.bind(view);
    for (let i = 0; i < data.length; i++) set(i * data.BYTES_PER_ELEMENT, data[i], true);
    return this.#addConstant(name, precision, shape, bytes);
  }

  /** A constant list of one nonnegative integer, for sizes and axes. */
  integer(value: number): Value {
    const name = `integer.${value}`;
    if (this.#integers.has(name)) return name;
    this.#integers.add(name);
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, value, true);
    return this.#addConstant(name, 'int64', [1], bytes);
  }

  cast(value: Value, to: ElementType): Value {
    return this.node('Cast', [value], { to: elementTypes[to] });
  }

  /** The bytes of the file. */
  write(input: Port, output: Port, facts: Readonly<Record<string, string>>): Uint8Array {
    const nodes = [...this.#nodes, [2, 'specnet'] as const, ...this.#constants];
    const graph = message(...nodes, [11, port(input)], [12, port(output)]);
    return message(
      [1, irVersion],
      [2, 'specnet'],
      [7, graph],
      [8, message([1, ''], [2, opset])],
      ...Object.entries(facts).map(([key, value]): Field => [14, message([1, key], [2, value])]),
    );
  }

  #addConstant(name: string, type: ElementType, shape: readonly number[], bytes: Uint8Array): Value {
    const dims = shape.map((size): Field => [1, size]);
    this.#constants.push([5, message(...dims, [2, elementTypes[type]], [8, name], [9, bytes])]);
    return name;
  }
}

function attribute(key: string, value: number): Uint8Array {
  return message([1, key], [3, value], [20, integerAttribute]);
}

function port({ name, type, shape }: Port): Uint8Array {
  const sizes = shape.map((size): Field => [1, message(typeof size === 'number' ? [1, size] : [2, size])]);
  return message([1, name], [2, message([1, message([1, elementTypes[type]], [2, message(...sizes)])])]);
}
