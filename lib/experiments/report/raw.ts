/** The JSON files of results, one per experiment. A replica that several experiments share is only in the first file. */

import { type Choices, type FinishedJob, type Experiment, fileFormat, sameTask } from '../shared/experiment.ts';
import { type Result, resultOf } from './report.ts';

/** A reference to a replica in the file of another experiment. */
interface ReplicaReference {
  readonly kind: string;
  readonly key: string;
  readonly in: string;
}

interface Raw {
  readonly format: typeof fileFormat;
  readonly choices: Choices;
  readonly machine: string;
  readonly replicas: readonly (FinishedJob | ReplicaReference)[];
}

/** The contents of the files. Only replicas that are equal to the last digit are shared, so that no measurement is lost. */
export function rawResults(results: readonly Result[]): { readonly name: string; readonly raw: object }[] {
  const locations = new Map<string, string>();
  return results.map(({ name, experiment, choices, machine, finished, review }) => {
    const replicas = finished.map(({ kind, key, task, clock, numbers, seconds }): FinishedJob | ReplicaReference => {
      const replica = { kind, key, task, clock, numbers, seconds };
      const text = JSON.stringify(replica);
      const location = locations.get(text);
      if (location !== undefined) return { kind, key, in: location };
      locations.set(text, name);
      return replica;
    });
    const settings = experiment.settings(choices);
    return { name, raw: { format: fileFormat, name, choices, machine, settings, claims: review.claims, replicas } };
  });
}

/** The result of an experiment from its file, or a problem. `read` returns the contents of a file, or undefined. */
export function readResult(
  name: string,
  experiment: Experiment,
  read: (name: string) => unknown,
): Result | { readonly problem: string } {
  const otherVersion = { problem: 'is damaged or from another version' };
  const raw = read(name);
  if (!isRaw(raw)) return otherVersion;
  const replicas: FinishedJob[] = [];
  for (const replica of raw.replicas) {
    if (!('in' in replica)) {
      replicas.push(replica);
      continue;
    }
    const found = replicaIn(read(replica.in), replica);
    if (!found)
      return {
        problem: `lacks the replica ${replica.kind} ${replica.key}, which should be in the file of ${replica.in}`,
      };
    replicas.push(found);
  }
  const jobs = experiment.jobs(raw.choices);
  const same = jobs.length === replicas.length && jobs.every((job, i) => sameTask(job, replicas[i]));
  if (!same) return otherVersion;
  try {
    return resultOf(name, experiment, { ...raw, replicas });
  } catch {
    return otherVersion; // the numbers of a damaged file are of any form
  }
}

function replicaIn(raw: unknown, { kind, key }: ReplicaReference): FinishedJob | undefined {
  if (!isRaw(raw)) return undefined;
  return raw.replicas.find((one): one is FinishedJob => !('in' in one) && one.kind === kind && one.key === key);
}

function isRaw(value: unknown): value is Raw {
  if (typeof value !== 'object' || value === null || !('choices' in value) || !('replicas' in value)) return false;
  const { choices, replicas } = value;
  if (!('format' in value) || value.format !== fileFormat) return false;
  if (!('machine' in value) || typeof value.machine !== 'string') return false;
  return Array.isArray(replicas) && replicas.every(isReplica) && isChoices(choices);
}

/** A damaged file must not ask for a list of jobs that fills the memory. */
const mostReplicas = 10_000;

function isChoices(value: unknown): value is Choices {
  if (typeof value !== 'object' || value === null) return false;
  const { quick, replicas, epochs, seed } = value as Record<keyof Choices, unknown>;
  const isCount = (count: unknown, least: number): boolean => Number.isSafeInteger(count) && (count as number) >= least;
  return (
    typeof quick === 'boolean' &&
    (replicas === null || (isCount(replicas, 1) && (replicas as number) <= mostReplicas)) &&
    (epochs === null || isCount(epochs, 1)) &&
    isCount(seed, 0)
  );
}

function isReplica(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    'key' in value &&
    ('in' in value || 'task' in value)
  );
}
