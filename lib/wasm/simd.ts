/** Are the SIMD twins in use? Switched on by the first tensor where the engine allows it, or by hand, and off again. */

/** Called wherever buffers are first made. */
export function prepareKernels(): void {}
