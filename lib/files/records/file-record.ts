/** Records of files: their lengths and checksums, by which a file that was changed, cut or lost is found. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { badValue } from '../../core/check.ts';
import { fastCrc32 } from '../checksum.ts';
import { FileReader } from '../read.ts';

/** A file as it was when it was recorded. */
export interface FileRecord {
  /** Relative to some folder, or absolute. */
  readonly name: string;
  readonly bytes: number;
  /** The CRC-32 of the CRC-32 of all pieces of 4 MiB, or of nine of them. */
  readonly checksum: number;
}

const pieceBytes = 2 ** 22;
const sampledPieces = 9;

/** The largest number of bytes of a file that `sampleFile` reads as a whole. */
const wholeBytes = 2 ** 26;

/** The record of a file in a folder, from all of its bytes. Errors name `caller`. */
export function recordFile(caller: string, folder: string, name: string): FileRecord {
  return record(caller, folder, name, false);
}

/** The record of a file that may be too large to be read for this: of more than 64 MiB, its length and nine parts count. */
export function sampleFile(caller: string, folder: string, name: string): FileRecord {
  return record(caller, folder, name, true);
}

function record(caller: string, folder: string, name: string, isSampled: boolean): FileRecord {
  const reader = new FileReader(caller, resolve(folder, name));
  try {
    const { size } = reader;
    const pieces = Math.ceil(size / pieceBytes);
    const isPart = isSampled && size > wholeBytes;
    const chosen = Array.from({ length: isPart ? sampledPieces : pieces }, (_, k) =>
      isPart ? Math.floor((k * (pieces - 1)) / (sampledPieces - 1)) : k,
    );
    const buffer = new Uint8Array(Math.min(size, pieceBytes));
    const sums = Uint32Array.from(chosen, (piece) => {
      const part = buffer.subarray(0, Math.min(pieceBytes, size - piece * pieceBytes));
      reader.read(part, piece * pieceBytes);
      return fastCrc32(part);
    });
    return { name, bytes: size, checksum: fastCrc32(new Uint8Array(sums.buffer)) };
  } finally {
    reader.close();
  }
}

/** Whether a file is there with the recorded length. */
export function hasLength(folder: string, { name, bytes }: FileRecord): boolean {
  return statSync(resolve(folder, name), { throwIfNoEntry: false })?.size === bytes;
}

/** Refuses a file that differs from its record, which `make` made. */
export function checkRecord(
  caller: string,
  folder: string,
  expected: FileRecord,
  make: typeof recordFile,
  remedy: string,
): void {
  const path = resolve(folder, expected.name);
  const length = statSync(path, { throwIfNoEntry: false })?.size;
  if (length === undefined) throw badValue(caller, `the file ${path}`, 'none', remedy);
  if (length !== expected.bytes) {
    throw badValue(caller, `${expected.bytes} bytes in ${path}, as when it was recorded`, length, remedy);
  }
  if (make(caller, folder, expected.name).checksum === expected.checksum) return;
  throw badValue(caller, `${path} as it was recorded`, 'a wrong checksum', remedy);
}
