/** A start with SIMD and memory without leftovers of earlier specs. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as assert from 'uvu/assert';
import { allocator } from '../../../lib/kernels/table.ts';
import { enableSimd } from '../../../lib/wasm/simd.ts';

export async function startSimd(): Promise<void> {
  const status = enableSimd();
  assert.ok(status.enabled, JSON.stringify(status));
  // Leftovers of earlier specs must not keep arrays out of the memory.
  setFlagsFromString('--expose-gc');
  allocator.float32(1);
  (runInNewContext('gc') as () => void)();
  await new Promise((resolve) => setTimeout(resolve, 10));
}
