/** How do results lie in files? One for each experiment; a replica that several of them share is in the first one's alone. */

import { type Choices, type FinishedJob, type Experiment, fileFormat, sameTask } from '../shared/experiment.ts';
import { type Result, resultOf } from './report.ts';

/** A replica that stands in the file of another experiment. */
interface Elsewhere {
  readonly kind: string;
  readonly key: string;
  readonly in: string;
}

interface Raw {
  readonly format: typeof fileFormat;
  readonly choices: Choices;
  readonly machine: string;
  readonly replicas: readonly (FinishedJob | Elsewhere)[];
}

/** The same to the last digit: what another run measured is not replaced. */
export function rawResults(results: readonly Result[]): { readonly name: string; readonly raw: object }[] {
  const places = new Map<string, string>();
  return results.map(({ name, experiment, choices, machine, done, review }) => {
    const replicas = done.map(({ kind, key, task, clock, numbers, seconds }): FinishedJob | Elsewhere => {
      const replica = { kind, key, task, clock, numbers, seconds };
      const text = JSON.stringify(replica);
      const place = places.get(text);
      if (place !== undefined) return { kind, key, in: place };
      places.set(text, name);
      return replica;
    });
    const settings = experiment.settings(choices);
    return { name, raw: { format: fileFormat, name, choices, machine, settings, claims: review.claims, replicas } };
  });
}

/** Of what `rawResults` made, or why there is none. `read` gives what is in the file of an experiment, undefined if nothing. */
export function readResult(
  name: string,
  experiment: Experiment,
  read: (name: string) => unknown,
): Result | { readonly problem: string } {
  const otherVersion = { problem: 'is damaged or of another version' };
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
        problem: `lacks the replica ${replica.kind} ${replica.key}, which the file of ${replica.in} should hold`,
      };
    replicas.push(found);
  }
  const jobs = experiment.jobs(raw.choices);
  const same = jobs.length === replicas.length && jobs.every((job, i) => sameTask(job, replicas[i]));
  return same ? resultOf(name, experiment, { ...raw, replicas }) : otherVersion;
}

function replicaIn(raw: unknown, { kind, key }: Elsewhere): FinishedJob | undefined {
  if (!isRaw(raw)) return undefined;
  return raw.replicas.find((one): one is FinishedJob => !('in' in one) && one.kind === kind && one.key === key);
}

function isRaw(value: unknown): value is Raw {
  if (typeof value !== 'object' || value === null || !('choices' in value) || !('replicas' in value)) return false;
  const { choices, replicas } = value;
  if (!('format' in value) || value.format !== fileFormat) return false;
  return typeof choices === 'object' && choices !== null && Array.isArray(replicas) && replicas.every(isReplica);
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
