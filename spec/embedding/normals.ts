/** Normally distributed numbers for models in specs. */

import { Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';

export function normals(shape: number[], seed: string): Tensor<Float32Array> {
  const result = zeros(shape);
  new Random(seed).fillNormal(result.data);
  return result;
}
