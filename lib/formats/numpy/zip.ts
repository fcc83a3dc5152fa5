/** Reads and writes zip archives: files stored or deflated, with checked sizes and checksums. */

import { badValue, excerpt } from '../../core/check.ts';
import { compress, concatenate, copyInPieces, decompress } from '../bytes/compression.ts';
import { crc32 } from '../../core/crc32.ts';
import { bytesAt, readFields, writeFields } from './fields.ts';

/** The entry of one file in the directory at the end of the archive. */
export interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  /** 0 for stored, 8 for deflated. Other methods are refused. */
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The offset of its local header. */
  readonly offset: number;
}

export interface ZipFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The signature, the length in bytes and the widths of the fields of the three kinds of records. */
const local = { signature: 0x04034b50, length: 30, widths: [4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2] };
const central = { signature: 0x02014b50, length: 46, widths: [4, 2, ...local.widths.slice(1), 2, 2, 2, 4, 4] };
const end = { signature: 0x06054b50, length: 22, widths: [4, 2, 2, 2, 2, 4, 4, 2] };
/** Of the record that follows the directory in archives of 4 GiB or more. */
const largeSignature = 0x06064b50;
const maxCommentBytes = 0xffff;
const maxBytes = 0xffffffff;

/** The files of an archive by name. The directory fills the bytes before the end record, and names each file once. */
export function listZip(caller: string, archive: Uint8Array): Map<string, ZipEntry> {
  const { place, fields } = findEnd(caller, archive);
  const [, disk, firstDisk, entriesHere, entries, length, directory] = fields;
  const found = new Map<string, ZipEntry>();
  let at = directory;
  for (let k = 0; k < entries; k++) {
    const record = readFields(caller, archive, at, central.widths);
    const [signature, , , flags, method, , , crc, compressedSize, size, nameLength, extra, comment, , , , offset] =
      record;
    if (signature !== central.signature) {
      throw badValue(caller, 'an undamaged zip directory', `signature ${signature}`);
    }
    const name = textAt(caller, archive, at + central.length, nameLength);
    if (found.has(name)) throw badValue(caller, 'each file once in the archive', `two called ${excerpt(name)}`);
    found.set(name, { name, flags, method, crc, compressedSize, size, offset });
    at += central.length + nameLength + extra + comment;
  }
  if (at < place && readFields(caller, archive, at, [4])[0] === largeSignature) {
    throw badValue(caller, 'a zip archive below 4 GiB', 'a ZIP64 archive, the format of larger ones');
  }
  if (disk !== 0 || firstDisk !== 0 || entriesHere !== entries) {
    throw badValue(caller, 'a zip archive in one file', `part ${disk} of several`);
  }
  if (at !== place || at - directory !== length) {
    throw badValue(caller, `a zip directory of ${place - directory} bytes, up to the end record`, at - directory);
  }
  return found;
}

/** Bits 0, 6 and 13: encrypted, strongly encrypted, encrypted directory. Bit 5: a difference to another file. */
const [encryptedFlags, patchFlag] = [0x2041, 0x20];

/**
 * The bytes of one file. Refuses a file with more than `limit` bytes before it decompresses it. `gather` joins the pieces,
 * and may refuse them before all are decompressed.
 */
export async function readZipEntry(
  caller: string,
  archive: Uint8Array,
  entry: ZipEntry,
  limit: number,
  gather: (pieces: AsyncIterable<Uint8Array>) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { name, method, offset, compressedSize, size } = entry;
  if (method !== 0 && method !== 8) throw badValue(caller, `${name} stored or deflated`, `zip method ${method}`);
  const header = readFields(caller, archive, offset, local.widths);
  const [signature, , localFlags, localMethod, , , , , , nameLength, extra] = header;
  const nameAt = offset + local.length;
  if (signature !== local.signature || textAt(caller, archive, nameAt, nameLength) !== name) {
    throw badValue(caller, `${name} at offset ${offset}`, 'other bytes');
  }
  if (localMethod !== method) {
    throw badValue(caller, `${name} by zip method ${method}, as the directory says`, localMethod);
  }
  const flags = entry.flags | localFlags;
  if (flags & encryptedFlags) throw badValue(caller, `${name} without a password`, 'an encrypted file');
  if (flags & patchFlag) throw badValue(caller, `${name} as a file of its own`, 'a zip patch of another file');
  if (size > limit) throw badValue(caller, `at most ${limit} bytes in ${name}`, size);
  const stored = bytesAt(caller, archive, nameAt + nameLength + extra, compressedSize);
  const bytes = await gather(method === 8 ? inflate(caller, stored, size) : onePiece(stored));
  if (bytes.length !== size) {
    throw badValue(caller, `${size} bytes in ${name}`, bytes.length > size ? 'more' : bytes.length);
  }
  if (crc32(bytes) !== entry.crc) throw badValue(caller, `an undamaged ${name}`, 'a wrong checksum');
  return bytes;
}

/** An archive of these files, deflated. Names are ASCII. The date is fixed, so that equal files give equal archives. */
export async function writeZip(caller: string, files: readonly ZipFile[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const compressed = await compress('deflate-raw', copyInPieces(bytes));
    const nameBytes = new TextEncoder().encode(name);
    // version 2.0, no flags, deflated, midnight of 1980-01-01
    const common = [20, 0, 8, 0, 33, crc32(bytes), compressed.length, bytes.length, nameBytes.length, 0];
    directory.push(writeFields(central.widths, [central.signature, 20, ...common, 0, 0, 0, 0, at]), nameBytes);
    pieces.push(writeFields(local.widths, [local.signature, ...common]), nameBytes, compressed);
    at += local.length + nameBytes.length + compressed.length;
    if (at > maxBytes || bytes.length > maxBytes) {
      throw badValue(caller, 'less than 4 GiB to write', `${Math.max(at, bytes.length)} bytes`);
    }
  }
  const directoryBytes = concatenate(directory);
  const count = files.length;
  const last = writeFields(end.widths, [end.signature, 0, 0, count, count, directoryBytes.length, at, 0]);
  return concatenate([...pieces, directoryBytes, last]);
}

/** Stops as soon as there are more than `size` bytes. */
async function* inflate(caller: string, compressed: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  let found = 0;
  for await (const piece of decompress(caller, 'deflate-raw', [compressed])) {
    yield piece;
    found += piece.length;
    if (found > size) return;
  }
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Place and fields of the end record: the last one with the right signature whose comment ends with the file. */
function findEnd(caller: string, archive: Uint8Array): { readonly place: number; readonly fields: number[] } {
  const last = archive.length - end.length;
  for (let at = last; at >= Math.max(0, last - maxCommentBytes); at--) {
    if (archive[at] !== (end.signature & 255)) continue;
    const record = readFields(caller, archive, at, end.widths);
    if (record[0] === end.signature && at + record[7] === last) return { place: at, fields: record };
  }
  throw badValue(caller, 'a zip archive', 'bytes without an end record', 'The file may be truncated.');
}

function textAt(caller: string, archive: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytesAt(caller, archive, at, length));
}
