/** The bandwidth of a Gaussian kernel by the log-derivative rule of Berry, Giannakis and Harlim. */

import { badKind, badValue } from '../../core/check.ts';

/** A bandwidth, and the dimension that the rule estimates with it. */
export interface TunedBandwidth {
  readonly sigma: number;
  readonly dimension: number;
}

/** Refuses anything but a number or 'auto' as a bandwidth. */
export function sigmaRule(caller: string, name: string, value: unknown): void {
  if (value !== 'auto' && typeof value !== 'number') throw badKind(caller, `${name} to be a number or 'auto'`, value);
}

/** The number of bins for each factor of two of the squared distance. Binning changes sums by less than 1e-5. */
const binsPerOctave = 128;
/** Bandwidths are tried in steps of 2^(1/16). */
const stepsPerOctave = 16;
/** The plateau around the maximum is where the derivative is at least this part of it. */
const plateau = 0.9;

/**
 * The σ in the middle, on a logarithmic scale, of the plateau of d log S / d log σ, where S(σ) = Σ exp(−r²/(2σ²)) over pairs of
 * points at distance r, those of a point with itself included. The plateau is the range around the maximum in which the
 * derivative is at least 90 % of it. On a manifold of dimension m, S grows like σ^m while the kernel sees more than single points
 * and less than the whole, and the maximum estimates m.
 *
 * With σ² = 2ε this is the rule of Berry, Giannakis and Harlim (2015) for exp(−r²/(4ε)), whose derivative in log ε is m/2, with
 * one difference: they take the maximum itself. On a plateau its position is arbitrary: on a circle it is at σ = 0.68, where the
 * kernel sees half of the circle. `squared` holds r² of pairs; `points` is the number of points whose pair with itself is not among them.
 * O(pairs).
 */
export function tuneBandwidth(caller: string, squared: ArrayLike<number>, points: number): TunedBandwidth {
  const { counts, first, zeros } = histogram(squared);
  if (counts.length === 0) {
    const remedy = 'State sigma, or remove repeated points.';
    throw badValue(caller, "distances other than 0 for sigma 'auto'", 'only points that coincide', remedy);
  }
  const squares = Float64Array.from(counts, (_, b) => 2 ** ((first + b + 0.5) / binsPerOctave));
  const growth = (sigma: number): number => {
    let [sum, derivative] = [points + zeros, 0];
    for (let b = 0; b < counts.length; b++) {
      if (counts[b] === 0) continue;
      const ratio = squares[b] / (sigma * sigma);
      const weight = counts[b] * Math.exp(-ratio / 2);
      sum += weight;
      derivative += ratio * weight;
    }
    return derivative / sum;
  };
  // σ from a quarter of the shortest to four times the longest distance.
  const octaves = [first, first + counts.length].map((bin) => bin / binsPerOctave / 2);
  const lowest = Math.floor(stepsPerOctave * (octaves[0] - 2));
  const steps = Math.ceil(stepsPerOctave * (octaves[1] + 2)) - lowest;
  const sigmas = Float64Array.from({ length: steps + 1 }, (_, step) => 2 ** ((lowest + step) / stepsPerOctave));
  const growths = sigmas.map(growth);
  const dimension = growths.reduce((most, value) => Math.max(most, value), 0);
  let [left, right] = [growths.indexOf(dimension), growths.indexOf(dimension)];
  while (left > 0 && growths[left - 1] >= plateau * dimension) left--;
  while (right < steps && growths[right + 1] >= plateau * dimension) right++;
  return { sigma: Math.sqrt(sigmas[left] * sigmas[right]), dimension };
}

/** The counts of log₂(r²) in bins, from bin number `first` on, and how many are 0. */
function histogram(squared: ArrayLike<number>): { counts: Float64Array; first: number; zeros: number } {
  let [least, most] = [Infinity, 0];
  for (let e = 0; e < squared.length; e++) {
    if (squared[e] === 0) continue;
    if (squared[e] < least) least = squared[e];
    if (squared[e] > most) most = squared[e];
  }
  if (most === 0) return { counts: new Float64Array(0), first: 0, zeros: squared.length };
  const binOf = (square: number): number => Math.floor(binsPerOctave * Math.log2(square));
  const first = binOf(least);
  const counts = new Float64Array(binOf(most) - first + 1);
  let zeros = 0;
  for (let e = 0; e < squared.length; e++) {
    if (squared[e] === 0) zeros++;
    else counts[binOf(squared[e]) - first]++;
  }
  return { counts, first, zeros };
}
