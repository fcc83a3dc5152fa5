/** Types of the part of the loader that `compile.ts` uses. */

import type { TransformOptions } from 'esbuild';

/** Options of esbuild for the file at `path`. */
export function compileOptions(path: string): TransformOptions;
