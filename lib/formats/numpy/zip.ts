/** How are files put into a zip archive and taken out again? Stored or deflated, with sizes and checksums checked. */

import { badValue } from '../../core/check.ts';
import { cut, join, pack, unpack } from '../bytes/compression.ts';
import { crc32 } from '../../core/crc32.ts';
import { bytesAt, readFields, writeFields } from './fields.ts';

/** What the directory at the archive's end says of one file. */
export interface ZipEntry {
  readonly name: string;
  readonly encrypted: boolean;
  /** 0 for stored, 8 for deflated; there are others. */
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where its local header begins. */
  readonly offset: number;
}

export interface ZipFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Signature, number of bytes, and widths of the fields of the three records. */
const local = { signature: 0x04034b50, length: 30, widths: [4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2] };
const central = { signature: 0x02014b50, length: 46, widths: [4, 2, ...local.widths.slice(1), 2, 2, 2, 4, 4] };
const end = { signature: 0x06054b50, length: 22, widths: [4, 2, 2, 2, 2, 4, 4, 2] };
const longestComment = 0xffff;
const largest = 0xffffffff;

/** The files of an archive by name; of two with one name the later counts, as in Python. */
export function listZip(caller: string, archive: Uint8Array): Map<string, ZipEntry> {
  const [, , , , entries, , directory] = findEnd(caller, archive);
  const found = new Map<string, ZipEntry>();
  for (let k = 0, at = directory; k < entries; k++) {
    const record = readFields(caller, archive, at, central.widths);
    const [signature, , , flags, method, , , crc, packedSize, size, nameLength, extra, comment, , , , offset] = record;
    if (signature !== central.signature) throw badValue(caller, 'an undamaged zip directory', 'a broken one');
    const name = textAt(caller, archive, at + central.length, nameLength);
    found.set(name, { name, encrypted: (flags & 1) === 1, method, crc, packedSize, size, offset });
    at += central.length + nameLength + extra + comment;
  }
  return found;
}

/** The bytes of one file, refused if they are, or claim to be, more than `limit`. */
export async function readZipEntry(
  caller: string,
  archive: Uint8Array,
  entry: ZipEntry,
  limit: number,
): Promise<Uint8Array> {
  const { name, method, offset, packedSize, size } = entry;
  if (entry.encrypted) throw badValue(caller, `${name} without a password`, 'an encrypted one');
  if (method !== 0 && method !== 8) throw badValue(caller, `${name} stored or deflated`, `zip method ${method}`);
  const [signature, , , , , , , , , nameLength, extra] = readFields(caller, archive, offset, local.widths);
  const nameAt = offset + local.length;
  if (signature !== local.signature || textAt(caller, archive, nameAt, nameLength) !== name) {
    throw badValue(caller, `${name} where the zip directory says`, 'something else');
  }
  if (size > limit) throw badValue(caller, `at most ${limit} bytes in ${name}`, size);
  const packed = bytesAt(caller, archive, nameAt + nameLength + extra, packedSize);
  const bytes = method === 8 ? await inflate(caller, packed, size) : packed;
  if (bytes.length !== size) {
    throw badValue(caller, `${size} bytes in ${name}`, bytes.length > size ? 'more' : bytes.length);
  }
  if (crc32(bytes) !== entry.crc) throw badValue(caller, `an undamaged ${name}`, 'a wrong checksum');
  return bytes;
}

/** An archive of these files, each deflated; names in ASCII, and the same bytes whenever it is made. */
export async function writeZip(caller: string, files: readonly ZipFile[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const packed = await pack('deflate-raw', cut(bytes));
    const label = new TextEncoder().encode(name);
    // version 2.0, no flags, deflated, midnight of 1980-01-01
    const common = [20, 0, 8, 0, 33, crc32(bytes), packed.length, bytes.length, label.length, 0];
    directory.push(writeFields(central.widths, [central.signature, 20, ...common, 0, 0, 0, 0, at]), label);
    pieces.push(writeFields(local.widths, [local.signature, ...common]), label, packed);
    at += local.length + label.length + packed.length;
    if (at > largest || bytes.length > largest) throw badValue(caller, 'less than 4 GiB to write', 'more');
  }
  const catalogue = join(directory);
  const count = files.length;
  const last = writeFields(end.widths, [end.signature, 0, 0, count, count, catalogue.length, at, 0]);
  return join([...pieces, catalogue, last]);
}

/** Stops as soon as more has come out than was announced. */
async function inflate(caller: string, packed: Uint8Array, size: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let found = 0;
  for await (const piece of unpack(caller, 'deflate-raw', packed)) {
    pieces.push(piece);
    found += piece.length;
    if (found > size) break;
  }
  return join(pieces);
}

/** The fields of the end record: the last place that has its signature and whose comment ends with the file. */
function findEnd(caller: string, archive: Uint8Array): number[] {
  const last = archive.length - end.length;
  for (let at = last; at >= Math.max(0, last - longestComment); at--) {
    if (archive[at] !== (end.signature & 255)) continue;
    const record = readFields(caller, archive, at, end.widths);
    if (record[0] === end.signature && at + record[7] === last) return record;
  }
  throw badValue(caller, 'a zip archive', 'bytes without its end record', 'The file may be truncated.');
}

function textAt(caller: string, archive: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytesAt(caller, archive, at, length));
}
