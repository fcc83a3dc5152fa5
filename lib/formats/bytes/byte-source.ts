/** `ByteSource`: the bytes of a file as an array, a string or a stream of pieces. Gzip is decompressed on the way. */

import { badKind, badValue } from '../../core/check.ts';
import { concatenate, decompress, isGzip } from './compression.ts';

/**
 * Bytes in one array or string, or in pieces from a list or stream. Pieces may end anywhere, also within a number. Readers
 * keep no piece longer than they need it.
 */
export type ByteSource =
  | Uint8Array
  | string
  | Iterable<Uint8Array>
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>;

/** The bytes of a source, and whether they were compressed. */
export interface OpenedSource {
  readonly isCompressed: boolean;
  /** Decompressed if they were gzip. */
  readonly pieces: AsyncGenerator<Uint8Array>;
}

/** Reads the first bytes of a source to see whether they are gzip. Errors about damaged bytes name `caller`. */
export async function openSource(caller: string, source: ByteSource): Promise<OpenedSource> {
  const pieces = piecesOf(caller, source);
  let begin = new Uint8Array(0);
  for await (const piece of pieces) {
    begin = begin.length > 0 ? concatenate([begin, piece]) : (piece as Uint8Array<ArrayBuffer>);
    if (begin.length > 1) break;
  }
  const isCompressed = isGzip(begin);
  return { isCompressed, pieces: readAndClose(caller, begin, pieces, isCompressed) };
}

/** The bytes of the source, decompressed if they are gzip. Errors about damaged bytes name `caller`. */
export async function* decompressedPieces(caller: string, source: ByteSource): AsyncGenerator<Uint8Array> {
  yield* (await openSource(caller, source)).pieces;
}

/** How many bytes a file has by its header. */
export interface LengthRule {
  /** The length, from the first bytes; null if it needs more of them. */
  lengthOf(begin: Uint8Array): number | null;
  /** The error for a file that has this many bytes or more. */
  tooLong(length: number): Error;
}

/** All bytes in one array. With a rule, no piece is read after there are more bytes than it allows. */
export async function collect(pieces: AsyncIterable<Uint8Array>, rule?: LengthRule): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  let allowed: number | null = rule ? null : Infinity;
  for await (const piece of pieces) {
    kept.push(piece);
    length += piece.length;
    if (rule && allowed === null) {
      kept.splice(0, kept.length, concatenate(kept));
      allowed = rule.lengthOf(kept[0]);
    }
    if (rule && allowed !== null && length > allowed) throw rule.tooLong(length);
  }
  return kept.length === 1 ? kept[0] : concatenate(kept);
}

/** The limit on the decompressed bytes of a text, which has no header with its length. */
const defaultMaxBytes = 2 ** 28;

/** The bytes of a text. Refuses more than `maxBytes` of them if they were compressed: gzip shrinks up to a thousandfold. */
export async function* textPieces(
  caller: string,
  { isCompressed, pieces }: OpenedSource,
  maxBytes = defaultMaxBytes,
): AsyncGenerator<Uint8Array> {
  if (!(maxBytes > 0)) throw badValue(caller, 'maxBytes to be a number above 0', maxBytes);
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (isCompressed && length > maxBytes) {
      const remedy = 'If you trust the file, raise maxBytes; on the command line, --max-bytes.';
      throw badValue(caller, `compressed text of at most ${maxBytes} bytes`, `${length} or more`, remedy);
    }
    yield piece;
  }
}

async function* readAndClose(
  caller: string,
  begin: Uint8Array,
  pieces: Pieces,
  isCompressed: boolean,
): AsyncGenerator<Uint8Array> {
  const whole = prepend(begin, pieces);
  try {
    yield* isCompressed ? decompress(caller, 'gzip', whole) : whole;
  } finally {
    pieces.close().catch(() => undefined);
  }
}

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
  if (source instanceof Uint8Array) return [source].values();
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
