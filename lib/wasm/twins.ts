/** How do the remaining kernels call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import { type Kernels, plainKernels } from '../kernels/table.ts';
import type { Activation, Floats } from '../kernels/types.ts';
import { layout } from './memory.ts';
import type { Routine, Routines } from './module.ts';
import { gramTiles } from './reduce-code.ts';
import { csrWidths } from './sparse-code.ts';
import type { Stage } from './stage.ts';

const isSingle = (array: Floats): array is Float32Array => array instanceof Float32Array;

type ElementwiseTwins = Pick<
  Kernels,
  'add' | 'subtract' | 'multiply' | 'scale' | 'activate' | 'activateBackward' | 'sgdStep' | 'adamStep'
>;

export function elementwiseTwins(wasm: Routines, stage: Stage): ElementwiseTwins {
  const slopes = (suffix: string): Record<Activation, Routine> => ({
    identity: suffix === '' ? wasm.scale : wasm['scale+'],
    relu: wasm[`reluBackward${suffix}`],
    softplus: wasm[`softplusBackward${suffix}`],
    tanh: wasm[`tanhBackward${suffix}`],
    sigmoid: wasm[`sigmoidBackward${suffix}`],
  });
  const overwriting = slopes('');
  const adding = slopes('+');
  return {
    add(n, a, b, out) {
      if (!stage.open(a, b, out)) return plainKernels.add(n, a, b, out);
      wasm.add(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    subtract(n, a, b, out) {
      if (!stage.open(a, b, out)) return plainKernels.subtract(n, a, b, out);
      wasm.subtract(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    multiply(n, a, b, out, accumulate) {
      if (!stage.open(a, b, out)) return plainKernels.multiply(n, a, b, out, accumulate);
      (accumulate ? wasm['multiply+'] : wasm.multiply)(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    scale(n, factor, a, out, accumulate) {
      if (!stage.open(a, out)) return plainKernels.scale(n, factor, a, out, accumulate);
      (accumulate ? wasm['scale+'] : wasm.scale)(n, stage.at(a), stage.at(out), factor);
      stage.close(out);
    },
    activate(activation, n, x, out) {
      if (activation === 'identity' || !stage.open(x, out)) return plainKernels.activate(activation, n, x, out);
      wasm[activation](n, stage.at(x), stage.at(out));
      stage.close(out);
    },
    activateBackward(activation, n, y, gradient, out, accumulate) {
      if (!stage.open(y, gradient, out)) {
        return plainKernels.activateBackward(activation, n, y, gradient, out, accumulate);
      }
      const routine = (accumulate ? adding : overwriting)[activation];
      if (activation === 'identity') routine(n, stage.at(gradient), stage.at(out), 1);
      else routine(n, stage.at(y), stage.at(gradient), stage.at(out));
      stage.close(out);
    },
    sgdStep(n, rate, momentum, gradient, velocity, parameters) {
      if (!stage.open(gradient, velocity, parameters)) {
        return plainKernels.sgdStep(n, rate, momentum, gradient, velocity, parameters);
      }
      wasm.sgd(n, stage.at(gradient), stage.at(velocity), stage.at(parameters), rate, momentum);
      stage.close(velocity, parameters);
    },
    adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters) {
      if (!stage.open(gradient, first, second, parameters)) {
        return plainKernels.adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters);
      }
      const [g, m, v, p] = [stage.at(gradient), stage.at(first), stage.at(second), stage.at(parameters)];
      if (decay === 0) wasm.adam(n, g, m, v, p, rate, 1 - beta1, 1 - beta2, epsilon);
      else wasm.adamw(n, g, m, v, p, rate, 1 - beta1, 1 - beta2, epsilon, decay);
      stage.close(first, second, parameters);
    },
  };
}

type RowTwins = Pick<Kernels, 'gatherRows' | 'scatterAddRows' | 'scaleRows' | 'transpose'>;

export function rowTwins(wasm: Routines, stage: Stage): RowTwins {
  return {
    gatherRows(count, cols, rows, x, out) {
      if (!stage.open(rows, x, out)) return plainKernels.gatherRows(count, cols, rows, x, out);
      wasm.gather(count, cols, stage.at(rows), stage.at(x), stage.at(out));
      stage.close(out);
    },
    scatterAddRows(count, cols, rows, x, out) {
      if (!stage.open(rows, x, out)) return plainKernels.scatterAddRows(count, cols, rows, x, out);
      wasm.scatterAdd(count, cols, stage.at(rows), stage.at(x), stage.at(out));
      stage.close(out);
    },
    scaleRows(rows, cols, factors, x, out, accumulate) {
      if (!isSingle(x) || !isSingle(out) || !stage.admit(factors, x, out))
        return plainKernels.scaleRows(rows, cols, factors, x, out, accumulate);
      const double = factors instanceof Float64Array;
      const routine = accumulate
        ? wasm[double ? 'scaleRows64+' : 'scaleRows+']
        : wasm[double ? 'scaleRows64' : 'scaleRows'];
      routine(rows, cols, stage.at(factors), stage.at(x), stage.at(out));
      stage.close(out);
    },
    transpose(rows, cols, x, out, accumulate) {
      if (accumulate || !stage.open(x, out)) return plainKernels.transpose(rows, cols, x, out, accumulate);
      wasm.transpose(rows, cols, stage.at(x), 4 * cols, stage.at(out), 4 * rows);
      stage.close(out);
    },
  };
}

type ReduceTwins = Pick<Kernels, 'gram' | 'weightedColumnSums' | 'dot' | 'sum'>;

/** Rows summed into a tile before the next tile: they stay in the second-level cache meanwhile. */
const gramRows = 64;

export function reduceTwins(wasm: Routines, stage: Stage): ReduceTwins {
  const tiles = gramTiles.left.map((p) => gramTiles.right.map((q) => wasm[`gram${p}x${q}`]));

  /** out += Aᵀ·diag(w)·B, tile by tile; only those that touch the upper triangle if `symmetric`. */
  function sumTiles(
    rows: number,
    p: number,
    q: number,
    a: number,
    aRow: number,
    b: number,
    w: number,
    wStep: number,
    out: number,
    symmetric: boolean,
  ): void {
    const bRow = 4 * q;
    for (let i = 0; i < rows; i += gramRows) {
      const count = Math.min(gramRows, rows - i);
      for (let s = 0; s < p;) {
        const left = p - s >= 4 ? 0 : p - s >= 2 ? 1 : 2;
        const height = gramTiles.left[left];
        for (let t = symmetric ? s - (s % 4) : 0; t < q;) {
          const right = q - t >= 4 ? 0 : q - t >= 2 ? 1 : 2;
          tiles[left][right](
            count,
            a + i * aRow + 4 * s,
            aRow,
            b + i * bRow + 4 * t,
            bRow,
            w + i * wStep,
            wStep,
            out + 8 * (s * q + t),
            8 * q,
          );
          t += gramTiles.right[right];
        }
        s += height;
      }
    }
  }

  /** Weights by address and stride: absent ones are a single 1, Float32 ones are widened. −1 if there is no room. */
  function weightAddress(rows: number, weights: Floats | null): number {
    if (!weights) return layout.one64;
    if (!isSingle(weights)) return stage.at(weights);
    const address = stage.memory.scratch(8 * rows);
    if (address >= 0) new Float64Array(stage.memory.buffer, address, rows).set(weights.subarray(0, rows));
    return address;
  }

  return {
    gram(rows, p, q, weights, a, b, out) {
      if (isSingle(a) && isSingle(b) && stage.admit(a, b, weights, out)) {
        const w = weightAddress(rows, weights);
        if (w >= 0) {
          const to = stage.at(out);
          new Float64Array(stage.memory.buffer, to, p * q).fill(0);
          sumTiles(rows, p, q, stage.at(a), 4 * p, stage.at(b), w, weights ? 8 : 0, to, a === b);
          stage.close(out);
          if (a === b) for (let s = 0; s < p; s++) for (let t = 0; t < s; t++) out[s * q + t] = out[t * q + s];
          return;
        }
        stage.close(out);
      }
      plainKernels.gram(rows, p, q, weights, a, b, out);
    },
    /** A row of ones, weighted, times x. */
    weightedColumnSums(rows, cols, weights, x, out) {
      if (isSingle(x) && stage.admit(x, weights, out)) {
        const w = weightAddress(rows, weights);
        if (w >= 0) {
          const to = stage.at(out);
          new Float64Array(stage.memory.buffer, to, cols).fill(0);
          sumTiles(rows, 1, cols, layout.one, 0, stage.at(x), w, weights ? 8 : 0, to, false);
          stage.close(out);
          return;
        }
        stage.close(out);
      }
      plainKernels.weightedColumnSums(rows, cols, weights, x, out);
    },
    dot(n, a, b) {
      if (!stage.open(a, b)) return plainKernels.dot(n, a, b);
      const result = wasm.dot(n, stage.at(a), stage.at(b));
      stage.close();
      return result;
    },
    sum(n, x) {
      if (!stage.open(x)) return plainKernels.sum(n, x);
      const result = wasm.sum(n, stage.at(x));
      stage.close();
      return result;
    },
  };
}

type SparseTwins = Pick<Kernels, 'csrMatmul' | 'csrTransposeMatmul' | 'csrRowSums'>;

export function sparseTwins(wasm: Routines, stage: Stage): SparseTwins {
  const products = csrWidths.map((width) => wasm[`csr${width}`]);
  const transposed = csrWidths.map((width) => wasm[`csrT${width}`]);
  /** The widest block that fits. */
  const blockFor = (width: number): number => csrWidths.findIndex((block) => block <= width);
  return {
    csrMatmul(rows, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plainKernels.csrMatmul(rows, width, starts, columns, values, x, out, accumulate);
      }
      const first = 4 * starts[0];
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        const to = stage.at(out) + 4 * c;
        products[block](
          rows,
          stage.at(starts),
          stage.at(columns) + first,
          stage.at(values) + first,
          stage.at(x) + 4 * c,
          4 * width,
          accumulate ? to : layout.zeros,
          accumulate ? 4 * width : 0,
          to,
          4 * width,
        );
        c += csrWidths[block];
      }
      stage.close(out);
    },
    csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plainKernels.csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate);
      }
      if (!accumulate) new Float32Array(stage.memory.buffer, stage.at(out), cols * width).fill(0);
      const first = 4 * starts[0];
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        transposed[block](
          rows,
          stage.at(starts),
          stage.at(columns) + first,
          stage.at(values) + first,
          stage.at(x) + 4 * c,
          4 * width,
          stage.at(out) + 4 * c,
          4 * width,
        );
        c += csrWidths[block];
      }
      stage.close(out);
    },
    csrRowSums(rows, starts, values, out) {
      if (!isSingle(values) || !stage.admit(starts, values, out))
        return plainKernels.csrRowSums(rows, starts, values, out);
      wasm.csrRowSums(rows, stage.at(starts), stage.at(values) + 4 * starts[0], stage.at(out));
      stage.close(out);
    },
  };
}
