/** What are models in specs made of? Numbers drawn from a normal law. */

import { Random } from '../../lib/core/random.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';

export function normals(shape: number[], seed: string): Tensor<Float32Array> {
  const result = zeros(shape);
  new Random(seed).fillNormal(result.data);
  return result;
}
