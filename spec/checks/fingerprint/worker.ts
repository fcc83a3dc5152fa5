/** One group of cases in one environment, in a process of its own: `worker.ts ROOT GROUP ENVIRONMENT` prints entries as JSON. */

import { setImmediate as nextTick } from 'node:timers/promises';
import { type EnvironmentName, environments } from './environment.ts';
import { type GroupName, groups } from './groups.ts';
import { type EntryRecord, failureOf, recordOf } from './record.ts';

const [root, group, environment] = process.argv.slice(2) as [string, GroupName, EnvironmentName];
const entries: Record<string, EntryRecord> = {};
for (const [name, run] of await groups[group].cases(root, environments[environment])) {
  const entry = `${group}/${name} [${environment}]`;
  if (entry in entries) throw new Error(`fingerprint: two cases are called '${entry}'.`);
  try {
    entries[entry] = recordOf(await run());
  } catch (error) {
    entries[entry] = failureOf(error);
  }
  // Beyond the budget of the kernels' memory, arrays are on the heap and other kernels process them: collect garbage before.
  globalThis.gc?.();
  await nextTick();
}
process.stdout.write(JSON.stringify(entries));
