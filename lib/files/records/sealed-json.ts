/** JSON files that state their format and version and have a checksum: headers, plans and records. */

import { badValue, excerpt } from '../../core/check.ts';
import { checksum } from '../checksum.ts';
import { FileReader } from '../read.ts';
import { replaceFileSync } from '../write.ts';

/** The format and version of a file, and the remedies for one that cannot be read. */
export interface SealedFormat {
  readonly format: string;
  readonly version: number;
  /** The way out for a file of another version. */
  readonly otherVersion: string;
  /** The way out for a file with a wrong checksum, or one that is no JSON. */
  readonly damaged: string;
  /** Files of more bytes are refused. */
  readonly longest: number;
}

/** The checksum of a value that JSON can hold. */
export function sealOf(content: unknown): string {
  return checksum(JSON.stringify(content) ?? '');
}

/** Writes a file as a whole. Errors name `flag`. */
export function writeSealed(flag: string, path: string, { format, version }: SealedFormat, content: unknown): void {
  const text = JSON.stringify({ format, version, checksum: sealOf(content), content }, null, 2);
  replaceFileSync(flag, path, new TextEncoder().encode(`${text}\n`));
}

/** Returns the content of a file after a check of its format, version and checksum. Errors name `caller`. */
export function readSealed(caller: string, path: string, rules: SealedFormat): unknown {
  const { format, version, longest, otherVersion, damaged } = rules;
  const file = parse(caller, path, readText(caller, path, longest), damaged);
  if (file.format !== format) {
    throw badValue(caller, `the format '${format}' in ${path}`, excerpt(String(file.format)));
  }
  if (file.version !== version) {
    const got = excerpt(String(file.version));
    throw badValue(caller, `version ${version} of ${format} in ${path}`, got, otherVersion);
  }
  if (sealOf(file.content) === file.checksum) return file.content;
  throw badValue(caller, `an undamaged ${path}`, 'a wrong checksum', damaged);
}

function readText(caller: string, path: string, longest: number): string {
  const reader = new FileReader(caller, path);
  try {
    if (reader.size > longest) throw badValue(caller, `at most ${longest} bytes in ${path}`, reader.size);
    const bytes = new Uint8Array(reader.size);
    reader.read(bytes, 0);
    return new TextDecoder().decode(bytes);
  } finally {
    reader.close();
  }
}

function parse(caller: string, path: string, text: string, remedy: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw badValue(caller, `JSON in ${path}`, excerpt(text), remedy);
  }
}
