/** How do NumPy's .npy files become tensors, and tensors .npy files? */

import { badKind, checkChoice, checkCount } from '../../core/check.ts';
import { parseNpy, writeNpy } from './npy.ts';
import { type DataOf, type Precision, Tensor, zeros } from '../../tensor/tensor.ts';
import { type ByteSource, collect, unpackedPieces } from '../bytes/byte-source.ts';

/** In which precision an array is read. */
export interface NpyReadOptions<P extends Precision = Precision> {
  /** 'single' unless said otherwise, whatever the file holds. */
  readonly precision?: P;
}

/** Numbers and truth values of any size, either byte order and either axis order; .gz too. */
export async function readNpyTensor<P extends Precision = 'single'>(
  source: ByteSource,
  options: NpyReadOptions<P> = {},
): Promise<Tensor<DataOf<P>>> {
  const caller = 'readNpyTensor';
  const precision = options.precision ?? 'single';
  checkChoice(caller, 'precision', precision, ['single', 'double']);
  return collectNpy(caller, unpackedPieces(caller, source), precision) as Promise<Tensor<DataOf<P>>>;
}

/** The bytes of a .npy file, f4 or f8 as the tensor's precision is. */
export function writeNpyTensor(source: Tensor): Uint8Array {
  if (!(source instanceof Tensor)) throw badKind('writeNpyTensor', 'a Tensor', source);
  return writeNpy(source.data, source.shape);
}

/** For this folder: from unpacked pieces, errors in the name of `caller`. */
export async function collectNpy(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  precision: Precision,
): Promise<Tensor> {
  const { data, shape } = parseNpy(caller, await collect(pieces));
  for (const [axis, size] of shape.entries()) checkCount(caller, `size ${axis} of the shape`, size);
  const result = zeros(shape, precision);
  result.data.set(data);
  return result;
}
