/** The types that kernels work on. */

/** The two element types. A call mixes them only where its contract says so. */
export type Floats = Float32Array | Float64Array;

/** The arguments of a kernel for a CSR matrix. Row i holds entries starts[i] … starts[i+1]−1 of columns and values. */
export type CsrArguments = [starts: Int32Array, columns: Int32Array, values: Floats];

/** The arguments of a kernel that writes a new CSR matrix. */
export type CsrToCsr = [...matrix: CsrArguments, outStarts: Int32Array, outColumns: Int32Array, outValues: Floats];

export function isFloats(array: unknown): array is Floats {
  return array instanceof Float32Array || array instanceof Float64Array;
}

export const activations = ['identity', 'relu', 'softplus', 'tanh', 'sigmoid'] as const;

/** The function that a layer applies to each number: identity, max(0, x), log(1 + eˣ), tanh x, or 1/(1 + e⁻ˣ). */
export type Activation = (typeof activations)[number];
