/** The statement that a sweep of SpecNet1 has the span of a linear iteration without orthogonalization. */

import { principalAngles } from '../../../linalg/subspace.ts';
import { objectives } from '../../../spectral/descent/objective.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { iterate, partition, catchBreakdown } from '../../instances/iteration.ts';
import { linearSweep, type RandomWalk } from '../../instances/linear-sweep.ts';
import type { SmallPencil } from '../../instances/small-pencil.ts';
import type { Observation, PencilCheck } from '../../instances/statement.ts';

export const specnet1Span: PencilCheck = {
  about: 'pencils',
  check({ pencil, components, random }, formulas) {
    const { size } = pencil;
    const start = new Float64Array(size * components);
    random.fillNormal(start);
    const step = random.uniform(0.05, 0.3);
    const batches = partition(random, size, 1 + random.integer(size));
    return catchBreakdown<Observation | null>(() => {
      const run = iterate(pencil, components, start, { ...formulas, objective: objectives.specnet1 }, step, size);
      for (const batch of batches) run.step(batch);
      const linear = linearSweep(walkOf(pencil, components), components, start, batches, step);
      const angles = principalAngles(
        new Tensor(run.rows, [size, components]),
        new Tensor(linear, [size, components]),
        pencil.mass,
      );
      return { findings: [{ what: 'angle to the span of the linear sweep', measured: angles.at(-1)!, bound: 1e-12 }] };
    }, null);
  },
};

function walkOf({ size, weights, mass }: SmallPencil, width: number): RandomWalk {
  return (z) => (row, column) => {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += weights[row * size + j] * z[j * width + column];
    return sum / mass[row];
  };
}
