/** `Decompressor`: one interface for the decompression of browsers and of Node. */

export type Compression = 'gzip' | 'deflate-raw';

/** Input and output proceed at the same time: a write may wait until output is read. */
export interface Decompressor {
  write(part: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /** Announces the end of the input. */
  close(): Promise<unknown>;
  abort(): void;
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** How many bytes of the input belong to the compressed ones. Null where the platform itself refuses others. */
  consumed(): number | null;
}

/**
 * The decompressor of the platform. The streams of browsers refuse bytes after the end. Those of Node ignore them if the
 * first is zero, so zlib is used there, which counts what it reads.
 */
export async function openDecompressor(compression: Compression): Promise<Decompressor> {
  if (typeof process !== 'object' || !process.versions?.node) return streamDecompressor(compression);
  // The computed name keeps bundlers for browsers from resolving it.
  const name = 'zlib';
  const zlib = (await import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`)) as Zlib;
  const options = { chunkSize: 1 << 16 };
  return zlibDecompressor(compression === 'gzip' ? zlib.createGunzip(options) : zlib.createInflateRaw(options));
}

/** The part of Node's module zlib that is used here. */
interface Zlib {
  createGunzip(options: { readonly chunkSize: number }): ZlibEngine;
  createInflateRaw(options: { readonly chunkSize: number }): ZlibEngine;
}

interface ZlibEngine extends AsyncIterable<Uint8Array> {
  /** The bytes that it has read. */
  readonly bytesWritten: number;
  write(part: Uint8Array, done: () => void): boolean;
  end(done: () => void): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

function streamDecompressor(compression: Compression): Decompressor {
  const stream = new DecompressionStream(compression);
  const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()];
  writer.closed.catch(() => undefined);
  return {
    write: (part) => writer.write(part),
    close: () => writer.close(),
    abort: () => {
      writer.abort().catch(() => undefined);
      reader.cancel().catch(() => undefined);
    },
    // Not every browser supports `for await` over a stream, so it is read by its reader.
    read: () => reader.read(),
    consumed: () => null,
  };
}

function zlibDecompressor(engine: ZlibEngine): Decompressor {
  const output = engine[Symbol.asyncIterator]();
  const settled = (call: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      engine.once('close', resolve); // after an error or the end, no call is answered
      call(() => {
        engine.off('close', resolve);
        resolve();
      });
    });
  return {
    write: (part) => settled((done) => engine.write(part, done)),
    close: () => settled((done) => engine.end(done)),
    abort: () => void engine.destroy(),
    read: async () => {
      const { done, value } = (await output.next()) as IteratorResult<Uint8Array, undefined>;
      return { done: done ?? false, value };
    },
    consumed: () => engine.bytesWritten,
  };
}
