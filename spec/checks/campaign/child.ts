/** Runs a range of tries in a process of its own: `child.ts KIND SEED FROM TO`. Reports to its parent before each try. */

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, type KindName } from './kinds.ts';
import { Reader } from './reader.ts';
import { runTries } from './run-tries.ts';
import { memoryFolder } from './temporary.ts';
import type { Tally } from './tally.ts';

/** To the parent: the index of the try that begins, or the counts at the end. */
export type Message = { readonly index: number } | { readonly tally: Tally };

const [name, seed, from, to] = process.argv.slice(2) as [KindName, string, string, string];
const reader = Reader.open();
const folder = mkdtempSync(join(memoryFolder(), 'campaign-'));
const kind = await kinds[name].open({ reader, folder });
const range = { seed, from: Number(from), to: Number(to) };
const isCompared = kinds[name].isCompared && reader !== null;
const tally = await runTries(name, kind, isCompared, range, (index) => process.send?.({ index } satisfies Message));
await kind.close?.();
await reader?.close();
rmSync(folder, { recursive: true, force: true });
process.send?.({ tally } satisfies Message, () => process.exit(0));
