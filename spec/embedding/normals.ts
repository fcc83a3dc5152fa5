import { Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
/** Normally distributed numbers for models in specs. */

export function normals(shape: number[], seed: string): Tensor<Float32Array> {
  const result = zeros(shape);
  new Random(seed).fillNormal(result.data);
  return result;
}
