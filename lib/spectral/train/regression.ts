/** How are eigenvectors that are known already taught to a function of the point? By least squares, each row for itself. */

import type { Work } from '../../core/pace.ts';
import type { Graph } from '../../graph/graph.ts';
import { kernels } from '../../kernels/table.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Objective } from '../descent/objective.ts';
import type { Pencil } from '../pencil/pencil.ts';
import { columns, constantFirst, findSpectrum } from '../spectrum/spectrum.ts';
import type { Viewer } from '../descent/view.ts';

export interface Targets {
  /** n×components: the nontrivial eigenvectors ψ of D⁻¹W, with Σ dᵢψᵢ² = Σ dᵢ. */
  readonly rows: Tensor<Float64Array>;
  /** Theirs. */
  readonly values: Float64Array;
  readonly converged: boolean;
}

/** Of the eigenvectors, relative: what a function of the point misses is a hundred times as much and more. */
const tolerance = 1e-6;

/** A function of the graph alone, so that a training that goes on has the same ones. */
export function* findTargets(graph: Graph, components: number): Work<Targets> {
  const { values, vectors, converged } = yield* findSpectrum(graph, { count: components + 1, tolerance });
  const rows = columns(constantFirst(graph, vectors), 1, components + 1);
  removeMeans(graph, rows);
  return { rows, values: values.slice(1, components + 1), converged };
}

/** Of more parts than eigenvectors were asked for, the constant need not be among those found: nothing of it may stay. */
function removeMeans({ degrees, volume }: Graph, { rows, cols, data }: Tensor<Float64Array>): void {
  const means = new Float64Array(cols);
  kernels.weightedColumnSums(rows, cols, degrees, data, means);
  for (let at = 0; at < data.length; at++) data[at] -= means[at % cols] / volume;
}

/** What is made small: ½·Σ dᵢ‖yᵢ − tᵢ‖² over the batch, in units of its rows and of the mean degree. For `taughtViewer`. */
export function towards(meanMass: number): Objective {
  return {
    constrained: false,
    gradient({ batch }, _moments, map) {
      const unit = 1 / (meanMass * batch.length);
      map.set(unit, -unit, 0);
    },
  };
}

/** A batch that sees nothing but its targets t: those take the place of its neighbours, and dᵢ·tᵢ that of a product with W. */
export function taughtViewer({ size, mass }: Pencil, targets: Tensor): Viewer {
  return (batch) => {
    const own = Float64Array.from(batch, (row) => mass[row]);
    return {
      batch,
      support: batch,
      place: Int32Array.from(batch.keys()),
      mass: own,
      eta: null,
      supportMass: own,
      supportEta: null,
      population: size,
      neighborhood: () => batch,
      entries: 0,
      multiply(width, _y, out) {
        for (let i = 0, at = 0; i < batch.length; i++) {
          for (let j = 0, from = batch[i] * width; j < width; j++) out[at++] = own[i] * targets.data[from + j];
        }
      },
    };
  };
}
