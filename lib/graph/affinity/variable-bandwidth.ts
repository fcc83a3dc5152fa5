/** The variable bandwidth of Berry and Harlim: kernels that are wide where points are few. */

import { badValue } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import type { VariableBandwidth } from '../graph.ts';
import type { Neighbors } from '../neighbors/neighbors.ts';
import { type TunedBandwidth, tuneBandwidth } from './bandwidth.ts';

const bandwidths = ['fixed', 'variable'] as const;

/** Whether the bandwidth is the same everywhere. */
export interface BandwidthOptions {
  /**
   * 'variable' is exp(−‖x − y‖²/(2σ²ρₓρᵧ)), where ρ is the density of the points to the power −½, of geometric mean 1, so that
   * sparse regions are seen as sharply as dense ones (Berry & Harlim 2016). `alpha` keeps its meaning. Default: 'fixed'.
   */
  readonly bandwidth?: (typeof bandwidths)[number] | undefined;
}

export const bandwidthRules = { bandwidth: bandwidths } as const satisfies Rules<BandwidthOptions>;

/** The default number of neighbors under a variable bandwidth: a kernel has to see more than the nearest. */
export const variableNeighbors = 128;

/** ρ = density^β. Berry and Harlim take −½, since errors then stay bounded where the density is small. */
export const densityPower = -1 / 2;

/** The number of nearest neighbors whose distances set the width of the kernel that estimates the density. */
const pilotNeighbors = 8;

/** The bandwidths of nodes from the lists of their neighbors; `listsSelf`: whether the nodes are in their own lists. */
export function variableBandwidth(caller: string, found: Neighbors, listsSelf: boolean): VariableBandwidth {
  const size = found.indices.length / found.neighbors;
  const others = found.neighbors - (listsSelf ? 1 : 0);
  const pilotScales = scalesOf(found, others, listsSelf ? 1 : 0);
  const coincident = pilotScales.findIndex((scale) => !(scale > 0));
  if (coincident >= 0) {
    const expected = `every point to be apart from one of its ${Math.min(pilotNeighbors, others)} nearest`;
    throw badValue(caller, expected, `point ${coincident}, which coincides with them`, 'Remove repeated points.');
  }
  const pilot = tuneRatios(caller, found, pilotScales, listsSelf);
  const kernel = { pilotScales, pilotSigma: pilot.sigma, pilotDimension: pilot.dimension };
  const logs = logBandwidths(kernel, found, pilotScales, found.neighbors, listsSelf ? 0 : 1);
  const logUnit = logs.reduce((sum, log) => sum + log, 0) / size;
  return { ...kernel, logUnit, bandwidths: logs.map((log) => Math.exp(log - logUnit)) };
}

/** ρ of new points from their nearest nodes. Infinite for a point so far from all nodes that it has no density. */
export function bandwidthsOfQueries(variable: VariableBandwidth, found: Neighbors, others: number): Float64Array {
  // A node that is queried has itself as the first of its neighbors, at distance 0.
  const scales = scalesOf(found, others, 1);
  const logs = logBandwidths(variable, found, scales, Math.min(others + 1, found.neighbors), 0);
  return logs.map((log) => Math.exp(log - variable.logUnit));
}

/** σ and the dimension by the log-derivative rule, for squared distances over the product of two scales. */
export function tuneRatios(
  caller: string,
  { neighbors, indices, squaredDistances }: Neighbors,
  scales: Float64Array,
  listsSelf: boolean,
): TunedBandwidth {
  const ratios = Float64Array.from(squaredDistances, (squared, e) => {
    return squared / (scales[Math.floor(e / neighbors)] * scales[indices[e]]);
  });
  return tuneBandwidth(caller, ratios, listsSelf ? 0 : scales.length);
}

/** The root mean square distance to the 8 nearest, or all if there are fewer; `selves` more of distance 0 are in the lists. */
function scalesOf({ neighbors, squaredDistances }: Neighbors, others: number, selves: number): Float64Array {
  const count = Math.min(pilotNeighbors, others);
  const listed = Math.min(count + selves, neighbors);
  return Float64Array.from({ length: squaredDistances.length / neighbors }, (_, i) => {
    let sum = 0;
    for (let e = i * neighbors; e < i * neighbors + listed; e++) sum += squaredDistances[e];
    return Math.sqrt(sum / count);
  });
}

/** β·log of the density: Σ exp(−r²/(2σ²sᵢsⱼ)) / sᵢ^dimension over the first `count` neighbors, plus `self` in the sum. */
function logBandwidths(
  { pilotScales, pilotSigma, pilotDimension }: Pick<VariableBandwidth, 'pilotScales' | 'pilotSigma' | 'pilotDimension'>,
  { neighbors, indices, squaredDistances }: Neighbors,
  scales: Float64Array,
  count: number,
  self: number,
): Float64Array {
  return scales.map((scale, i) => {
    let sum = self;
    for (let e = i * neighbors; e < i * neighbors + count; e++) {
      sum += Math.exp(-squaredDistances[e] / (2 * pilotSigma ** 2 * scale * pilotScales[indices[e]]));
    }
    return densityPower * (Math.log(sum) - pilotDimension * Math.log(scale));
  });
}
