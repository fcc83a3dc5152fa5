/** Of which functions does a training step consist? Those that it calls itself, each under the name of its part. */

import { operations } from '../../lib/autodiff/operations.ts';
import { Tape } from '../../lib/autodiff/tape.ts';
import { kernels } from '../../lib/kernels/table.ts';
import { AfterRelu } from '../../lib/network/layers/after-relu.ts';
import type { Layer } from '../../lib/network/bodies/mlp.ts';
import { Optimizer } from '../../lib/network/optimizer/optimizer.ts';
import { Pass } from '../../lib/network/layers/pass.ts';
import { denseOfFew } from '../../lib/network/optimizer/product-gradient.ts';
import { SparseLayer } from '../../lib/network/layers/sparse-layer.ts';
import { RowSlicer } from '../../lib/sparse/row-slicer.ts';
import { Descent } from '../../lib/spectral/descent/descent.ts';
import { NetworkRows } from '../../lib/spectral/descent/network-rows.ts';
import { objectives } from '../../lib/spectral/descent/objective.ts';
import { RowMap } from '../../lib/spectral/descent/row-map.ts';
import { networkViewers, type Viewer } from '../../lib/spectral/descent/view.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { type PartOf, Watch } from './watch.ts';

/** Without the layers, of which each network has its own. In the order of a step. */
export const parts = [
  'neighbourhood',
  'gather',
  'forward',
  'moments',
  'gradient',
  'backward',
  'optimiser',
  'tape',
] as const;
type Part = (typeof parts)[number];
type LayerPart = `${'forward' | 'backward'} ${string}`;

/** Before a training begins: the viewer it makes is one of those watched. For the rest of this process. */
export function watchSteps(): Watch {
  const watch = new Watch();
  const over = <Name extends PropertyKey>(
    holder: { [name in Name]: unknown },
    name: Name,
    part: Part | LayerPart | PartOf,
  ): void => watch.over(holder, name, part);
  const makeViewer = networkViewers.neighbor;
  networkViewers.neighbor = (pencil) => watch.watched(makeViewer(pencil) as Viewer, 'neighbourhood' satisfies Part);
  for (const name of ['evaluate', 'restrict', 'gradients'] as const) over(Pass.prototype, name, 'tape');
  over(Tape.prototype, 'backward', 'tape');
  over(RowSlicer.prototype, 'take', 'gather');
  over(kernels, 'gatherRows', (_, within) => (within === 'tape' ? 'gather' : null));
  for (const operation of [operations.dense, operations.sparseDense, denseOfFew] as unknown as Layerwise[]) {
    over(operation, 'forward', layerOf('forward'));
    over(operation, 'prepare', layerOf('backward'));
    operation.pullbacks.forEach((_, i) => over(operation.pullbacks, i, layerOf('backward')));
  }
  over(SparseLayer.prototype, 'evaluate', 'forward sparse points');
  for (const name of ['turn', 'pullBack'] as const) over(SparseLayer.prototype, name, 'backward sparse points');
  over(AfterRelu.prototype, 'evaluate', ([, layer]) => nameOf('forward', (layer as Layer).weights));
  for (const name of ['rows', 'product'] as const) over(NetworkRows.prototype, name, 'gradient');
  over(objectives.specnet2, 'gradient', 'gradient');
  over(RowMap.prototype, 'apply', 'gradient');
  for (const name of ['begin', 'step'] as const) over(Optimizer.prototype, name, 'optimiser');
  watchMoments(watch);
  return watch;
}

/** Those of a descent are made by its training, and seen when it makes its first step. */
function watchMoments(watch: Watch): void {
  const seen = new WeakSet();
  const { step } = Descent.prototype;
  Descent.prototype.step = function (view) {
    if (!seen.has(this.moments)) {
      seen.add(this.moments);
      watch.over(this.moments, 'read', 'moments' satisfies Part);
    }
    step.call(this, view);
  };
}

interface Layerwise {
  forward: unknown;
  prepare: unknown;
  pullbacks: unknown[];
}

/** By its weights, which stand before the bias: `forward 784→256`. */
function layerOf(way: 'forward' | 'backward'): PartOf {
  return ([call]) => {
    const { inputs } = call as { inputs: readonly Tensor[] };
    return nameOf(way, inputs[inputs.length - 2]);
  };
}

function nameOf(way: 'forward' | 'backward', { rows, cols }: Pick<Tensor, 'rows' | 'cols'>): LayerPart {
  return `${way} ${rows}→${cols}`;
}
