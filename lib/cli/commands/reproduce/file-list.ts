/** The list in a results folder of the files that belong to it. No other file is ever replaced or deleted. */

import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../../../core/check.ts';
import { isDraftOf, sweepFolder } from '../../../files/drafts.ts';
import { isLock } from '../../../files/lock.ts';
import { appendLineSync, makeFolder, replaceFileSync } from '../../../files/write.ts';

/** The list itself. Lines are only added, so that several threads can share it. */
export const listName = 'specnet-results.txt';

const firstLine = 'specnet results, version 1';
const explanation = '# specnet reproduce replaces and deletes the files below, and no others.';
const otherFolder = 'Choose another folder.';

/** Names of files are relative, with slashes: `report.html`, `jobs/data.moons.json`. */
export class FileList {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder if it is missing. Refuses links, and folders with files and no list. */
  openFolder(): void {
    prepareFolder(this.#folder);
    // Another run may have been killed before it wrote the list, or may be about to write it.
    const all = access(this.#folder, () => readdirSync(this.#folder));
    const entries = all.filter((name) => !isDraftOf(name, listName) && !isLock(name));
    if (entries.length === 0 || entries.includes(listName)) return;
    throw badValue('--out', `an empty folder, or one with ${listName}`, this.#folder, otherFolder);
  }

  /** Makes the list if there is none, and the subfolders that are missing. */
  prepare(subfolders: readonly string[]): void {
    const path = join(this.#folder, listName);
    if (!requireFile(path)) replaceFileSync('--out', path, new TextEncoder().encode(`${firstLine}\n${explanation}\n`));
    this.names();
    this.#dropCutLine();
    for (const name of subfolders) prepareFolder(join(this.#folder, name));
  }

  /** The names in the list. */
  names(): ReadonlySet<string> {
    const path = join(this.#folder, listName);
    const lines = this.#text().split('\n');
    if (lines[0] !== firstLine) {
      throw badValue('reproduce', `${path} to begin with '${firstLine}'`, `'${lines[0]}'`, otherFolder);
    }
    const invalid = lines.slice(1).find((line) => line !== '' && !line.startsWith('#') && !isName(line));
    if (invalid !== undefined) throw badValue('reproduce', `names of files in ${path}`, `'${invalid}'`, otherFolder);
    // A loss of power may cut the last line. It is the name of a file that was not written yet.
    return new Set(lines.slice(1, -1).filter((line) => line !== '' && !line.startsWith('#')));
  }

  /** Adds names to the list before their files are written. Refuses a name whose file is there but not in the list. */
  claim(names: readonly string[]): void {
    // Looks at the files first: another thread names its file before it writes it.
    const present = names.filter((name) => requireFile(join(this.#folder, name)));
    const known = this.names();
    const foreign = present.find((name) => !known.has(name));
    if (foreign !== undefined) {
      const remedy = 'Move the file away, or choose another folder.';
      throw badValue('reproduce', `no file that is not in ${listName}`, join(this.#folder, foreign), remedy);
    }
    const added = [...new Set(names)].filter((name) => !known.has(name));
    if (added.length === 0) return;
    const path = join(this.#folder, listName);
    const isCut = !this.#text().endsWith('\n');
    appendLineSync('--out', path, `${isCut ? '\n' : ''}${added.join('\n')}`);
  }

  /** Replaces a file of the list, or creates it. */
  write(name: string, bytes: Uint8Array): void {
    replaceFileSync('--out', join(this.#folder, name), bytes);
  }

  /** Whether a file is in the folder, and if so, whether it is in the list. */
  stateOf(name: string): 'absent' | 'foreign' | 'own' {
    if (!requireFile(join(this.#folder, name))) return 'absent';
    return this.names().has(name) ? 'own' : 'foreign';
  }

  /** The bytes of a file. Undefined if it is not in the folder or not in the list. */
  read(name: string): Buffer | undefined {
    const path = join(this.#folder, name);
    return this.stateOf(name) === 'own' ? access(path, () => readFileSync(path)) : undefined;
  }

  /** Deletes the files of the list that the condition names. */
  delete(isChosen: (name: string) => boolean): void {
    for (const name of this.names()) {
      const path = join(this.#folder, name);
      if (isChosen(name) && requireFile(path)) access(path, () => rmSync(path, { force: true }));
    }
  }

  /** Deletes the drafts of files of the list: those of killed processes, or all of this process. */
  sweep(whose: 'killed' | 'own'): void {
    const groups = new Map<string, string[]>([['', [listName]]]);
    for (const name of this.names()) {
      const [file, folder = ''] = name.split('/').toReversed();
      groups.set(folder, [...(groups.get(folder) ?? []), file]);
    }
    for (const [folder, files] of groups) sweepFolder(join(this.#folder, folder), files, whose);
  }

  /** The text of the list. */
  #text(): string {
    const path = join(this.#folder, listName);
    requireFile(path, longestList);
    return access(path, () => readFileSync(path, 'utf8'));
  }

  /** Deletes a last line that a loss of power has cut, before other lines follow: it could be the name of a user's file. */
  #dropCutLine(): void {
    const text = this.#text();
    const end = text.lastIndexOf('\n') + 1;
    if (end === text.length || end === 0) return;
    replaceFileSync('--out', join(this.#folder, listName), new TextEncoder().encode(text.slice(0, end)));
  }
}

/** The largest length of a list in bytes: some hundred thousand names. */
const longestList = 2 ** 24;

/** Runs `use`. An error of the system becomes one that names the file. */
function access<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    const reason = (error as Error).message.replace(/, \w+( '.*)?$/s, '');
    throw badValue('reproduce', `access to ${path}`, reason, 'Change its permissions, or choose another folder.');
  }
}

/** Makes a folder if it is missing. Refuses a link or a file at its place. */
function prepareFolder(path: string): void {
  makeFolder('--out', path);
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) {
    throw badValue('--out', 'a folder that is not a link', path, 'Pass the folder that the link leads to.');
  }
  if (!stats.isDirectory()) throw badValue('--out', 'a folder that can be written to', `the file ${path}`, otherFolder);
}

/** A name without a folder, or in one of the two subfolders. It does not begin with a dot, and any system allows it. */
function isName(line: string): boolean {
  return /^((jobs|shared)\/)?[^./\\#\p{Cc}][^/\\\p{Cc}]*$/u.test(line) && Buffer.byteLength(line) <= 255;
}

/** Whether the file is there. Refuses links, folders, devices, and files of more than `longest` bytes. */
function requireFile(path: string, longest = Infinity): boolean {
  const stats = access(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stats && !stats.isFile()) {
    const got = stats.isSymbolicLink() ? 'a link' : stats.isDirectory() ? 'a folder' : 'a pipe or device';
    throw badValue('reproduce', `${path} to be a file`, got, 'Move it away, or choose another folder.');
  }
  if (stats && stats.size > longest) {
    throw badValue('reproduce', `${path} of at most ${longest} bytes`, stats.size, otherFolder);
  }
  return stats !== undefined;
}
