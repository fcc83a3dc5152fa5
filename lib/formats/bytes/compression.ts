/** How are bytes packed and unpacked? By the platform's own streams, a piece at a time, so that a reader can stop early. */

import { badValue } from '../../core/check.ts';

export type Packing = 'gzip' | 'deflate-raw';

const pieceLength = 1 << 18;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** What the packed bytes hold, piece by piece; leaving the loop stops the work. Damage is told in the name of `caller`. */
export async function* unpack(caller: string, packing: Packing, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  // By its reader, as not every browser lets `for await` run over a stream itself.
  const reader = streamOf(cut(bytes)).pipeThrough(new DecompressionStream(packing)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (problem) {
    const what = problem instanceof Error ? problem.message : String(problem);
    throw badValue(caller, `undamaged ${packing} bytes`, what);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The pieces packed into one array. */
export async function pack(packing: Packing, pieces: Iterable<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const packed = streamOf(pieces).pipeThrough(new CompressionStream(packing));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** One array of its own out of many. */
export function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Copies of pieces: streams refuse views of shared memory, and would keep the caller's buffer from change. */
export function* cut(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
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
