/** Where do a reader's bytes come from? An array, a text, or pieces that arrive one by one; gzip is undone on the way. */

import { badKind, badValue } from '../../core/check.ts';
import { cut, isGzip, join } from './compression.ts';

/** Pieces may be cut anywhere: a stream from disk or network, a list. Nothing of them is kept longer than needed. */
export type ByteSource =
  Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** The bytes of the source, inflated if they are gzip. Damage is told in the name of `caller`. */
export async function* unpackedPieces(caller: string, source: ByteSource): AsyncGenerator<Uint8Array> {
  const pieces = piecesOf(caller, source);
  let begin = new Uint8Array(0);
  for await (const piece of pieces) {
    begin = begin.length > 0 ? join([begin, piece]) : (piece as Uint8Array<ArrayBuffer>);
    if (begin.length > 1) break;
  }
  const whole = continued(begin, pieces);
  try {
    yield* isGzip(begin) ? inflated(caller, whole) : whole;
  } finally {
    pieces.close().catch(() => undefined);
  }
}

/** All bytes in one array, once `check` has seen the number of them as they come in. */
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
    if (begin.length < beginLength) begin = join([begin, piece.subarray(0, beginLength - begin.length)]);
    check(begin, length);
  }
  return kept.length === 1 ? kept[0] : join(kept);
}

/** Room for the longest header of a format that `check` looks at. */
const beginLength = 1024;

/** An iterator that may be left and taken up again; only `close` ends it. */
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
  if (source instanceof Uint8Array) return isGzip(source) ? cut(source) : [source].values();
  if (typeof source === 'object' && source !== null) {
    // Streams by their reader, as not every browser lets `for await` run over one.
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

async function* continued(begin: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (begin.length > 0) yield begin;
  yield* rest;
}

/**
 * Pieces are handed over one by one, each when the one before is unpacked: piped, a stream of Node would take in
 * thousands of them at once.
 */
async function* inflated(caller: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacking = new DecompressionStream('gzip');
  const reader = unpacking.readable.getReader();
  const failures: unknown[] = [];
  const done = feed(pieces, unpacking.writable.getWriter(), failures);
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

/** Never throws. A failure of the source is noted, apart from damage: a disk that fails is not a bad file. */
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
      for (const part of cut(next.value)) await writer.write(part);
    } catch {
      return; // the reader hears of it
    }
  }
}
