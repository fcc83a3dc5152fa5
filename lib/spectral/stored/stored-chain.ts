/** The layers of a network on points in a file, of which a step reads those that it needs. */

import { inputOf, LayerChain, differentiableLayers } from '../../network/layers/chain.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { ChainInput, Layer } from '../../network/layers/layer.ts';

/** Reads points by number: dense, or sparse if a sparse first layer is faster. A result is valid until the next call. */
export type PointReader = (rows: Int32Array) => Points;

/** `chainOf` for points in a file. In the chain, the rows of a step are numbered from 0. */
export function storedChain(
  caller: string,
  layers: readonly Layer[],
  read: PointReader,
): Pick<LayerChain, 'workspace' | 'forward' | 'backward'> {
  const [first, dense] = differentiableLayers(caller, layers, read(Int32Array.of(0)));
  let input = first;
  const current: ChainInput = {
    get learns() {
      return input.learns;
    },
    forward: (_rows, workspace) => input.forward(null, workspace),
    transposed: (places) => input.transposed(places),
    backward: (...operands) => input.backward(...operands),
  };
  const chain = new LayerChain(current, dense);
  return {
    workspace: chain.workspace,
    forward(rows) {
      input = inputOf(layers[0], read(rows!));
      return chain.forward(null);
    },
    backward: (places, delta) => chain.backward(places, delta),
  };
}
