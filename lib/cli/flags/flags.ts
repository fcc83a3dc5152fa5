/** The table of all flags, with the value, the validation and the help text of each. Commands refer to it by name. */

import { benchTable } from './bench-flags.ts';
import { graphTable } from './graph-flags.ts';
import { clusterTable, modelTable, solverTable } from './model-flags.ts';
import { commonTable, plotTable, runTable } from './run-flags.ts';
import { entryTable, searchTable, storageTable } from './storage-flags.ts';
import { taskTable } from './task-flags.ts';
import { choiceTable, fileTable, readingTable } from './table-flags.ts';

/** The help text and the values of a flag in one command, where they differ from the table. */
export interface FlagOverride {
  readonly help: string;
  /** The words that the command accepts. */
  readonly choices?: readonly string[];
  /** The name of the value in help. With it, any text is accepted. */
  readonly value?: string;
}

export type FlagOverrides = { readonly [Name in FlagName]?: FlagOverride };

export const flags = {
  ...choiceTable,
  ...readingTable,
  ...fileTable,
  ...graphTable,
  ...entryTable,
  ...searchTable,
  ...storageTable,
  ...modelTable,
  ...solverTable,
  ...clusterTable,
  ...plotTable,
  ...commonTable,
  ...runTable,
  ...taskTable,
  ...benchTable,
};

export type FlagName = keyof typeof flags;

export type Flags = { readonly [Name in FlagName]?: ReturnType<(typeof flags)[Name]['read']> };

/** Flags that determine how a graph is built from points. */
export const graphFlags = namesOf(graphTable);

/** Flags that tell how a table is read. */
export const readingFlags = namesOf(readingTable);

/** Flags that tell how a table is read, and which of its columns are coordinates. */
export const tableFlags = [...namesOf(choiceTable), ...readingFlags];

/** Flags of commands that read a file of points or a graph. */
export const inputFlags = [...tableFlags, ...graphFlags, 'max-bytes'] as const;

/** Flags that tell how a file of entries becomes a graph. */
export const entryFlags = namesOf(entryTable);

/** Flags that tell how neighbors are searched block by block. */
export const searchFlags = namesOf(searchTable);

/** Flags that determine the clusters. */
export const clusterFlags = namesOf(clusterTable);

/** Flags that determine how a model is learned. */
export const modelFlags = namesOf(modelTable);

/** Flags that name files to write. */
export const outputFlags = ['out', 'model', 'checkpoint', 'plot'] as const;

/** Flags that name files or folders to read. No output may be one of them, or be inside. */
export const sourceFlags = ['stored', 'compare'] as const;

/** Flags of commands that draw coordinates. */
export const plotFlags = namesOf(plotTable);

/** Flags of every command that reads a file. */
export const commonFlags = namesOf(commonTable);

function namesOf<T extends object>(table: T): readonly (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
