/** Runs a test once with the SIMD kernels and once with the plain ones. */

import { disableSimd, enableSimd } from '../lib/index.ts';

export const backends = { simd: enableSimd, plain: disableSimd };

type Run = () => void | Promise<void>;
type Test = (name: string, run: () => Promise<void>) => void;

export function onEveryBackend(test: Test, name: string, run: Run): void {
  for (const [backend, activate] of Object.entries(backends)) {
    test(`${name} (${backend})`, async () => {
      activate();
      try {
        await run();
      } finally {
        enableSimd();
      }
    });
  }
}
