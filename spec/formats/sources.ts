/** How do specs hand bytes to readers, and catch what they say? */

/** Pieces of one size, as a stream would bring them. */
export async function* chunks(bytes: Uint8Array | string, size: number): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** The message of the error that has to come. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected a refusal, got a result');
}
