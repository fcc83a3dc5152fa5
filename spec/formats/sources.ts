/** Passes bytes to readers in specs, and catches their error messages. */

/** Chunks of equal size, as from a stream. */
export async function* chunks(bytes: Uint8Array | string, size: number): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** The message of the expected error. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected a refusal, got a result');
}
