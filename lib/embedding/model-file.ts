/** How does a model become bytes, and again a model? A line of JSON says what it is, then come its numbers, then a checksum. */

import { badKind, badValue } from '../core/check.ts';
import { Landmarks } from '../network/landmarks.ts';
import { Mlp } from '../network/mlp.ts';
import { crc32 } from '../sparse/crc32.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { Model } from './model.ts';

/**
 * Layout, everything little-endian: 8 bytes `specnet\n`, the length of the header in 4 bytes, the header as JSON padded
 * with blanks so that the numbers begin at a multiple of 8, the tensors in its order as Float32 numbers row by row, and in
 * the last 4 bytes the CRC-32 of all before. Eigenvalues stand in the header in full.
 */
const magic = 'specnet\n';
const version = 1;

interface Header {
  readonly version: number;
  readonly kind: Model['kind'];
  readonly eigenvalues: readonly number[];
  /** Of each tensor, in the order of the file. */
  readonly shapes: readonly (readonly number[])[];
  readonly neighbors?: number;
  readonly activation?: Mlp['activation'];
}

const kinds = new Set<string>(['landmarks', 'network'] satisfies Model['kind'][]);
const prefix = 12;

export function saveModel(model: Model): Uint8Array {
  if (!kinds.has(model?.kind)) throw badKind('saveModel', 'a model', model, 'It is the `model` of what fit returns.');
  const tensors = tensorsOf(model);
  const header: Header = {
    version,
    kind: model.kind,
    eigenvalues: [...model.eigenvalues],
    shapes: tensors.map(({ shape }) => shape),
    ...(model.kind === 'landmarks'
      ? { neighbors: model.landmarks.neighbors }
      : { activation: model.network.activation }),
  };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const begin = Math.ceil((prefix + json.length) / 8) * 8;
  const length = begin + 4 * tensors.reduce((sum, { size }) => sum + size, 0);
  const bytes = new Uint8Array(length + 4).fill(32, prefix, begin);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(magic));
  view.setUint32(8, begin - prefix, true);
  bytes.set(json, prefix);
  let at = begin;
  for (const { data } of tensors) {
    for (let i = 0; i < data.length; i++, at += 4) view.setFloat32(at, data[i], true);
  }
  view.setUint32(length, crc32(bytes.subarray(0, length)), true);
  return bytes;
}

/** Refuses other files, other versions and damage. */
export function loadModel(bytes: Uint8Array): Model {
  const caller = 'loadModel';
  if (!(bytes instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array', bytes);
  const start = new TextDecoder('latin1').decode(bytes.slice(0, 8));
  if (start !== magic) throw badValue(caller, 'a file that begins with specnet', 'another one');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 4;
  if (end < prefix || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true)) {
    throw badValue(
      caller,
      'a whole file',
      'a wrong checksum',
      'It is damaged or was cut short: save or copy it again.',
    );
  }
  const begin = prefix + view.getUint32(8, true);
  const header = parseHeader(caller, bytes.slice(prefix, begin));
  const sizes = header.shapes.map((shape) => shape.reduce((a, b) => a * b, 1));
  const needed = begin + 4 * sizes.reduce((a, b) => a + b, 0);
  if (needed !== end) throw badValue(caller, `${needed} bytes of header and numbers`, end);
  let at = begin;
  const tensors = header.shapes.map((shape) => {
    const result = zeros(shape);
    for (let i = 0; i < result.size; i++, at += 4) result.data[i] = view.getFloat32(at, true);
    return result;
  });
  return assemble(caller, header, tensors);
}

function tensorsOf(model: Model): readonly Tensor[] {
  if (model.kind === 'network') return model.network.parameters;
  return [model.landmarks.centers, model.head.weights, model.head.bias];
}

function parseHeader(caller: string, bytes: Uint8Array): Header {
  const header = JSON.parse(new TextDecoder().decode(bytes)) as Header;
  if (header.version !== version) {
    const remedy = 'Use the release of specnet that wrote it.';
    throw badValue(caller, `version ${version} of the file`, header.version, remedy);
  }
  return header;
}

function assemble(caller: string, header: Header, tensors: readonly Tensor<Float32Array>[]): Model {
  const eigenvalues = Float64Array.from(header.eigenvalues);
  if (header.kind === 'landmarks') {
    const [centers, weights, bias] = tensors;
    return {
      kind: 'landmarks',
      landmarks: new Landmarks(centers, header.neighbors),
      head: { weights, bias },
      eigenvalues,
    };
  }
  if (header.kind !== 'network') throw badValue(caller, "a model of kind 'landmarks' or 'network'", header.kind);
  const weights = tensors.filter((_, i) => i % 2 === 0);
  const sizes = [weights[0].rows, ...weights.map(({ cols }) => cols)];
  const network = new Mlp(sizes, { ...(header.activation && { activation: header.activation }) });
  for (const [i, { data }] of network.parameters.entries()) data.set(tensors[i].data);
  return { kind: 'network', network, eigenvalues };
}
