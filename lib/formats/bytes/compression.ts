/** Compression and decompression by the platform's streams, piece by piece, so that a reader can stop early. */

import { badValue } from '../../core/check.ts';
import { type Compression, type Decompressor, openDecompressor } from './decompressor.ts';

const pieceLength = 1 << 18;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * The decompressed bytes, piece by piece. Ending the iteration stops the work. Refuses bytes after the end of the compressed
 * ones. Errors about damaged bytes name `caller`.
 */
export async function* decompress(
  caller: string,
  compression: Compression,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decompressor = await openDecompressor(compression);
  const feeding = new Feeding();
  const done = feeding.feed(pieces, decompressor);
  try {
    for (;;) {
      const next = await decompressor.read();
      if (next.done) break;
      yield next.value!;
    }
    if (feeding.failures.length > 0) throw feeding.failures[0];
    const consumed = decompressor.consumed();
    if (consumed !== null && consumed !== feeding.bytes) throw new Error('other bytes after their end');
    await done;
  } catch (problem) {
    if (feeding.failures.length > 0) throw feeding.failures[0];
    const message = problem instanceof Error ? problem.message : String(problem);
    throw badValue(caller, `undamaged ${compression} bytes`, message);
  } finally {
    decompressor.abort();
  }
}

/** Passes the pieces to a decompressor. */
class Feeding {
  /** Failures of the source are kept, so that a disk error is not reported as a damaged file. */
  readonly failures: unknown[] = [];
  /** How many bytes were passed on. */
  bytes = 0;

  /** Passes a piece on after the previous one is decompressed. Never throws. */
  async feed(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, decompressor: Decompressor): Promise<void> {
    const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await iterator.next();
      } catch (error) {
        this.failures.push(error);
        decompressor.abort();
        return;
      }
      try {
        if (next.done) {
          await decompressor.close();
          return;
        }
        for (const part of copyInPieces(next.value)) {
          this.bytes += part.length;
          await decompressor.write(part);
        }
      } catch {
        return; // the reader receives the error
      }
    }
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
