/** The types that kernels work on. */

/** The two element types. A call mixes them only where its contract says so. */
export type Floats = Float32Array | Float64Array;

export function isFloats(array: unknown): array is Floats {
  return array instanceof Float32Array || array instanceof Float64Array;
}

export const activations = ['identity', 'relu', 'softplus', 'tanh', 'sigmoid'] as const;

/** The function that a layer applies to each number: identity, max(0, x), log(1 + eˣ), tanh x, or 1/(1 + e⁻ˣ). */
export type Activation = (typeof activations)[number];
