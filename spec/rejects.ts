/** The asynchronous twin of `assert.throws`. */

import * as assert from 'uvu/assert';

/** Requires that a call throws, or that its promise is rejected, with a message that matches. */
export async function rejects(call: () => unknown, pattern: RegExp): Promise<void> {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => null,
      (reason: Error) => reason,
    );
  assert.ok(error, `expected an error like ${pattern}, got none`);
  assert.match(error.message, pattern);
}
