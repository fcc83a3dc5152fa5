/** `ByteSource`: the bytes of a file as an array, a string or a stream of pieces. Gzip is decompressed on the way. */

import { badKind, badValue } from '../../core/check.ts';
import { concatenate, copyInPieces, isGzip } from './compression.ts';

/**
 * Bytes in one array or string, or in pieces from a list or stream. Pieces may end anywhere, also within a number. Readers
 * keep no piece longer than they need it.
 */
export type ByteSource =
  Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** The bytes of the source, decompressed if they are gzip. Errors about damaged bytes name `caller`. */
export async function* decompressedPieces(caller: string, source: ByteSource): AsyncGenerator<Uint8Array> {
  const pieces = piecesOf(caller, source);
  let begin = new Uint8Array(0);
  for await (const piece of pieces) {
    begin = begin.length > 0 ? concatenate([begin, piece]) : (piece as Uint8Array<ArrayBuffer>);
    if (begin.length > 1) break;
  }
  const whole = prepend(begin, pieces);
  try {
    yield* isGzip(begin) ? gunzip(caller, whole) : whole;
  } finally {
    pieces.close().catch(() => undefined);
  }
}

/** All bytes in one array. `check` is called after each piece with the first bytes and the length so far, and may throw. */
export async function collect(
  pieces: AsyncIterable<Uint8Array>,
  check: (begin: Uint8Array, length: number) => void = () => undefined,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  let begin = new Uint8Array(0);
  for await (const piece of pieces) {
    kept.push(piece);
    length += piece.length;
    if (begin.length < beginLength) begin = concatenate([begin, piece.subarray(0, beginLength - begin.length)]);
    check(begin, length);
  }
  return kept.length === 1 ? kept[0] : concatenate(kept);
}

/** The number of first bytes that `check` receives: enough for the longest header that it reads. */
const beginLength = 1024;

/** An iterable whose iteration can be interrupted and continued. Only `close` ends it. */
interface Pieces extends AsyncIterable<Uint8Array> {
  readonly close: () => Promise<void>;
}

function piecesOf(caller: string, source: ByteSource): Pieces {
  const iterator = iteratorOf(caller, source);
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const result = await iterator.next();
    if (!result.done && !(result.value instanceof Uint8Array)) {
      throw badKind(caller, 'pieces that are Uint8Arrays', result.value);
    }
    return result;
  };
  return {
    [Symbol.asyncIterator]: () => ({ next }),
    close: async () => {
      await iterator.return?.();
    },
  };
}

type AnyIterator = Iterator<Uint8Array> | AsyncIterator<Uint8Array>;

function iteratorOf(caller: string, source: ByteSource): AnyIterator {
  if (typeof source === 'string') return [new TextEncoder().encode(source)].values();
  if (source instanceof Uint8Array) return isGzip(source) ? copyInPieces(source) : [source].values();
  if (typeof source === 'object' && source !== null) {
    // Not every browser supports `for await` over a stream, so it is read by its reader.
    if ('getReader' in source) return readerOf(source);
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
    if (Symbol.iterator in source) return source[Symbol.iterator]();
  }
  throw badKind(caller, 'a Uint8Array, a string, or a stream or list of Uint8Arrays', source);
}

function readerOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    return: async () => {
      await reader.cancel().catch(() => undefined);
      return { done: true, value: undefined };
    },
  };
}

/** The first bytes, then the rest. */
async function* prepend(begin: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (begin.length > 0) yield begin;
  yield* rest;
}

/** Writes each piece only after the previous one is decompressed. A pipe would buffer thousands of pieces in Node. */
async function* gunzip(caller: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('gzip');
  const reader = stream.readable.getReader();
  const failures: unknown[] = [];
  const done = feed(pieces, stream.writable.getWriter(), failures);
  try {
    for (;;) {
      const next = await reader.read();
      if (next.done) break;
      yield next.value;
    }
    await done;
  } catch (problem) {
    if (failures.length > 0) throw failures[0];
    throw badValue(caller, 'undamaged gzip bytes', problem instanceof Error ? problem.message : String(problem));
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Never throws. Failures of the source go to `failures`, so that a disk error is not reported as a damaged file. */
async function feed(
  pieces: AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<BufferSource>,
  failures: unknown[],
): Promise<void> {
  writer.closed.catch(() => undefined);
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    const next = await iterator.next().catch((error: unknown) => {
      failures.push(error);
      return null;
    });
    try {
      if (next === null) return await writer.abort(failures[0]);
      if (next.done) return await writer.close();
      for (const part of copyInPieces(next.value)) await writer.write(part);
    } catch {
      return; // the reader receives the error
    }
  }
}
