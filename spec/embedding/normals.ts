import { Random, type Tensor, zeros } from '../../lib/index.ts';
/** What are models in specs made of? Numbers drawn from a normal law. */

export function normals(shape: number[], seed: string): Tensor<Float32Array> {
  const result = zeros(shape);
  new Random(seed).fillNormal(result.data);
  return result;
}
