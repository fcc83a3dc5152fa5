/** Compression and decompression by the platform's streams, piece by piece, so that a reader can stop early. */

import { badValue } from '../../core/check.ts';

export type Compression = 'gzip' | 'deflate-raw';

const pieceLength = 1 << 18;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The decompressed bytes, piece by piece. Ending the iteration stops the work. Errors about damaged bytes name `caller`. */
export async function* decompress(
  caller: string,
  compression: Compression,
  bytes: Uint8Array,
): AsyncGenerator<Uint8Array> {
  // Not every browser supports `for await` over a stream, so it is read by its reader.
  const reader = streamOf(copyInPieces(bytes)).pipeThrough(new DecompressionStream(compression)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    throw badValue(caller, `undamaged ${compression} bytes`, message);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The pieces, compressed into one array. */
export async function compress(
  compression: Compression,
  pieces: Iterable<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array> {
  const compressed = streamOf(pieces).pipeThrough(new CompressionStream(compression));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** All pieces in one new array. */
export function concatenate(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Copies of consecutive pieces. Streams refuse views of shared memory, and the caller may change its array meanwhile. */
export function* copyInPieces(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += pieceLength) yield new Uint8Array(bytes.subarray(at, at + pieceLength));
}

function streamOf(pieces: Iterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const next = iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}
