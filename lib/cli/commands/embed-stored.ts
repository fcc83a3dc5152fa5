/** `embed --stored`: learns coordinates from a stored graph and points in a file, which need not fit in memory. */

import { fitStored, type StoredFit } from '../../embedding/fit-stored.ts';
import type { StoredCoordinates } from '../../embedding/transform-stored.ts';
import { commonFlags, type FlagName } from '../flags/flags.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, printReport } from '../shared/command.ts';
import { nameFileInErrors } from '../shared/input.ts';
import { modelWriters, prepareOutput, writeAll } from '../shared/output.ts';
import { checkBlockFlags, prepareBlockOutput } from '../shared/stored.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

const allowed: readonly FlagName[] = ['stored', 'memory', 'method', 'components', 'landmarks', 'model', ...commonFlags];

/** Fits the Ritz head on landmarks, and writes the model and the coordinates. */
export async function embedStored(call: Call): Promise<ExitCode> {
  const { flags, operands, progress, terminal } = call;
  const [path] = operands;
  checkBlockFlags(path, flags, '--stored', allowed);
  if (flags.method !== 'ritz') {
    throw new UsageError(`expected --method ritz with --stored, got ${flags.method ?? 'no --method'}.`);
  }
  const writeCoordinates = prepareBlockOutput(flags, '--stored');
  const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
  const { components, landmarks, seed, memory } = flags;
  const fit = await nameFileInErrors(path, () =>
    fitStored(flags.stored!, path, {
      progress: progress.estimate('learning'),
      ...(components !== undefined && { components }),
      ...(typeof landmarks === 'number' && { landmarks }),
      ...(seed !== undefined && { seed }),
      ...(memory !== undefined && { memory }),
    }),
  );
  const train = call.seconds();
  let coordinates: StoredCoordinates | undefined;
  await writeAll([
    () => writeModel(fit.model),
    async () => {
      coordinates = await writeCoordinates?.(fit.model, path, call);
      return flags.out;
    },
  ]);
  progress.clear();
  const { eigenvalues, landmarks: centers } = fit.model;
  const report = {
    eigenvalues: [...eigenvalues],
    converged: fit.converged,
    landmarks: centers.outputs,
    rows: coordinates?.rows ?? 0,
    seconds: { train, total: call.seconds() },
    reading: fit.statistics,
  };
  printReport(call, report, () => {
    const rows = report.eigenvalues.map((value, k) => [String(k + 1), value.toFixed(10)]);
    const time = `Learned by the Ritz head on ${report.landmarks} landmarks in ${formatMilliseconds(1000 * train)}.`;
    return `${formatTable(['', 'quotient'], rows, 0)}\n\n${describeReading(fit.statistics)}\n\n${time}`;
  });
  if (!fit.converged) terminal.note('specnet embed: the eigenproblem of the features did not converge.\n');
  return 0;
}

function describeReading(statistics: StoredFit['statistics']): string {
  const rows = Object.entries(statistics).map(([name, { budget, hits, misses, bytesRead }]) => [
    name,
    mebibytes(budget),
    mebibytes(bytesRead),
    hits + misses === 0 ? '–' : `${((100 * hits) / (hits + misses)).toFixed(1)} %`,
  ]);
  return formatTable(['pages of', 'cache, MiB', 'read, MiB', 'hits'], rows, 1);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
