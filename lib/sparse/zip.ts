/** How are files put into a zip archive and taken out again? Stored or deflated, with sizes and checksums checked. */

import { badValue } from '../core/check.ts';
import { cut, join, pack, unpack } from './compression.ts';
import { crc32 } from './crc32.ts';
import { FieldReader, fields } from './fields.ts';

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

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 };
const lengths = { local: 30, central: 46, end: 22, locator: 20 };
/** Fields with all bits set say: see the zip64 record. */
const full16 = 0xffff;
const full32 = 0xffffffff;
/** Deflate makes no more than this out of one byte. */
const bestRatio = 1032;

/** The files of an archive by name; of two with one name the later counts, as in Python. */
export function listZip(caller: string, archive: Uint8Array): Map<string, ZipEntry> {
  const reader = new FieldReader(caller, archive);
  const end = findEnd(caller, reader);
  let entries = reader.u16(end + 10);
  let at = reader.u32(end + 16);
  if (entries === full16 || at === full32) {
    const end64 = reader.u64(end - lengths.locator + 8);
    if (reader.u32(end - lengths.locator) !== signatures.locator || reader.u32(end64) !== signatures.end64) {
      throw badValue(caller, 'a zip64 directory', 'none where it should be');
    }
    entries = reader.u64(end64 + 32);
    at = reader.u64(end64 + 48);
  }
  const found = new Map<string, ZipEntry>();
  for (let k = 0; k < entries; k++) {
    if (reader.u32(at) !== signatures.central) throw badValue(caller, 'an undamaged zip directory', 'a broken one');
    const entry = readEntry(reader, at);
    found.set(entry.name, entry);
    at += lengths.central + reader.u16(at + 28) + reader.u16(at + 30) + reader.u16(at + 32);
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
  const reader = new FieldReader(caller, archive);
  const { name, method, offset, packedSize, size } = entry;
  if (entry.encrypted) throw badValue(caller, `${name} without a password`, 'an encrypted one');
  if (method !== 0 && method !== 8) throw badValue(caller, `${name} stored or deflated`, `zip method ${method}`);
  const nameLength = reader.u16(offset + 26);
  if (reader.u32(offset) !== signatures.local || reader.text(offset + lengths.local, nameLength) !== name) {
    throw badValue(caller, `${name} where the zip directory says`, 'something else');
  }
  if (size > limit) throw badValue(caller, `at most ${limit} bytes in ${name}`, size);
  const from = offset + lengths.local + nameLength + reader.u16(offset + 28);
  const packed = reader.bytes(from, packedSize);
  if (method === 8 ? size > packedSize * bestRatio : size !== packedSize) {
    throw badValue(caller, `${name} to have ${size} bytes, as the zip directory says`, `${packedSize} in the archive`);
  }
  const bytes = method === 8 ? await inflate(caller, entry, packed) : packed;
  if (crc32(bytes) !== entry.crc) throw badValue(caller, `an undamaged ${name}`, 'a wrong checksum');
  return bytes;
}

/** An archive of these files, each deflated; names in ASCII, and the same bytes whenever it is made. */
export async function writeZip(caller: string, files: readonly ZipFile[]): Promise<Uint8Array> {
  const packed = await Promise.all(files.map((file) => pack('deflate-raw', cut(file.bytes))));
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [k, { name, bytes }] of files.entries()) {
    const label = new TextEncoder().encode(name);
    // version 2.0, no flags, deflated, midnight of 1980-01-01
    const common = [2, 20, 2, 0, 2, 8, 2, 0, 2, 33, 4, crc32(bytes), 4, packed[k].length, 4, bytes.length];
    const local = fields([4, signatures.local, ...common, 2, label.length, 2, 0]);
    const rest = [2, label.length, 2, 0, 2, 0, 2, 0, 2, 0, 4, 0, 4, at];
    directory.push(fields([4, signatures.central, 2, 20, ...common, ...rest]), label);
    pieces.push(local, label, packed[k]);
    at += local.length + label.length + packed[k].length;
    if (at > full32 || bytes.length > full32) throw badValue(caller, 'less than 4 GiB to write', 'more');
  }
  const size = directory.reduce((sum, piece) => sum + piece.length, 0);
  const count = files.length;
  const end = fields([4, signatures.end, 2, 0, 2, 0, 2, count, 2, count, 4, size, 4, at, 2, 0]);
  return join([...pieces, ...directory, end]);
}

/** Stops as soon as more has come out than was announced. */
async function inflate(caller: string, entry: ZipEntry, packed: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of unpack(caller, 'deflate-raw', packed)) {
    pieces.push(piece);
    size += piece.length;
    if (size > entry.size) break;
  }
  if (size === entry.size) return join(pieces);
  throw badValue(caller, `${entry.size} bytes in ${entry.name}`, size > entry.size ? 'more' : size);
}

/** The end record: the last place that has its signature and whose comment ends with the file. */
function findEnd(caller: string, reader: FieldReader): number {
  const last = reader.length - lengths.end;
  for (let at = last; at >= Math.max(0, last - full16); at--) {
    if (reader.u32(at) === signatures.end && at + lengths.end + reader.u16(at + 20) === reader.length) return at;
  }
  throw badValue(caller, 'a zip archive', 'bytes without its end record', 'The file may be truncated.');
}

function readEntry(reader: FieldReader, at: number): ZipEntry {
  const nameLength = reader.u16(at + 28);
  const name = reader.text(at + lengths.central, nameLength);
  const large = wideFields(reader, at + lengths.central + nameLength, reader.u16(at + 30));
  const widen = (value: number) => (value === full32 ? (large.shift() ?? value) : value);
  const size = widen(reader.u32(at + 24));
  const packedSize = widen(reader.u32(at + 20));
  const offset = widen(reader.u32(at + 42));
  const encrypted = (reader.u16(at + 8) & 1) === 1;
  return { name, encrypted, method: reader.u16(at + 10), crc: reader.u32(at + 16), packedSize, size, offset };
}

/** The numbers of the zip64 extra field, in its order: those of size, packed size and offset that did not fit. */
function wideFields(reader: FieldReader, from: number, length: number): number[] {
  for (let at = from; at + 4 <= from + length; at += 4 + reader.u16(at + 2)) {
    if (reader.u16(at) !== 1) continue;
    return Array.from({ length: Math.floor(reader.u16(at + 2) / 8) }, (_, k) => reader.u64(at + 4 + 8 * k));
  }
  return [];
}
