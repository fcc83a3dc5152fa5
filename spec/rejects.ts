/** Asynchronous twins of `assert.throws`. */

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

/** The message of the error. Fails if there is no error, or one that the library did not create. */
export function refusalOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => assert.unreachable('was not refused') as never,
    (error: unknown) => {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      return error.message;
    },
  );
}
