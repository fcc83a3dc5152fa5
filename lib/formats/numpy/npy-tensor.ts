/** Tensors from and to NumPy's .npy files. */

import { badKind, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { collectNpyFile, parseNpy, writeNpy } from './npy.ts';
import { type DataOf, type Precision, precisions, Tensor, zeros } from '../../tensor/tensor.ts';
import { type ByteSource, decompressedPieces } from '../bytes/byte-source.ts';

/** The precision of the tensor. */
export interface NpyReadOptions<P extends Precision = Precision> {
  /** Default: 'single', whatever the precision of the file. */
  readonly precision?: P;
}

const rules: Rules<NpyReadOptions> = { precision: precisions };

/** Reads a .npy file or the gzip of one: numbers and booleans of any size, in either byte order and either axis order. */
export async function readNpyTensor<P extends Precision = 'single'>(
  source: ByteSource,
  options: NpyReadOptions<P> = {},
): Promise<Tensor<DataOf<P>>> {
  const caller = 'readNpyTensor';
  checkOptions(caller, options, rules);
  const precision = options.precision ?? 'single';
  return collectNpy(caller, decompressedPieces(caller, source), precision) as Promise<Tensor<DataOf<P>>>;
}

/** The bytes of a .npy file with elements f4 or f8, by the precision of the tensor. */
export function writeNpyTensor(source: Tensor): Uint8Array {
  if (!(source instanceof Tensor)) throw badKind('writeNpyTensor', 'a Tensor', source);
  return writeNpy(source.data, source.shape);
}

/** `readNpyTensor` of decompressed pieces. Errors name `caller`. For this folder only. */
export async function collectNpy(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  precision: Precision,
): Promise<Tensor> {
  const { data, shape } = parseNpy(caller, await collectNpyFile(caller, pieces));
  for (const [axis, size] of shape.entries()) checkCount(caller, `size ${axis} of the shape`, size);
  const result = zeros(shape, precision);
  result.data.set(data);
  return result;
}
