/** `embed --stored`: learns coordinates from a stored graph and points in a file, which need not fit in memory. */

import { fitStored } from '../../embedding/fit-stored.ts';
import type { StoredFit, StoredFitOptions } from '../../embedding/model/stored-fit.ts';
import type { StoredCoordinates } from '../../embedding/transform-stored.ts';
import { commonFlags, type FlagName, type Flags } from '../flags/flags.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, printReport } from '../shared/command.ts';
import { nameFileInErrors } from '../shared/input.ts';
import { modelWriters, prepareOutput, writeAll } from '../shared/output.ts';
import { checkBlockFlags, prepareBlockOutput } from '../shared/stored.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

const always = ['stored', 'memory', 'method', 'components', 'model', ...commonFlags] as const;
const ofNetworks = ['hidden', 'batch', 'rate', 'epochs', 'scheme', 'order', 'checkpoint'] as const;
/** The flags of each method. */
const allowed: Record<NonNullable<StoredFitOptions['method']>, readonly FlagName[]> = {
  ritz: [...always, 'landmarks'],
  regression: [...always, 'landmarks'],
  specnet1: [...always, ...ofNetworks],
  specnet2: [...always, ...ofNetworks, 'moments'],
};

/** Fits the Ritz head or a regression on landmarks, or a network, and writes the model and the coordinates. */
export async function embedStored(call: Call): Promise<ExitCode> {
  const { flags, operands, progress, terminal } = call;
  const [path] = operands;
  const { method } = flags;
  if (method !== 'ritz' && method !== 'regression' && method !== 'specnet1' && method !== 'specnet2') {
    const rule = 'expected --method ritz, regression, specnet1 or specnet2 with --stored';
    throw new UsageError(`${rule}, got ${method ?? 'no --method'}.`);
  }
  checkBlockFlags(path, flags, `--stored and --method ${method}`, allowed[method]);
  const writeCoordinates = prepareBlockOutput(flags, '--stored');
  const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
  const { components, landmarks, hidden, checkpoint, seed, memory } = flags;
  const fit = await nameFileInErrors(path, () =>
    fitStored(flags.stored!, path, {
      progress: progress.estimate('learning'),
      method,
      ...(components !== undefined && { components }),
      ...(typeof landmarks === 'number' && { landmarks }),
      ...(hidden && { hidden }),
      ...(checkpoint !== undefined && { checkpoint }),
      ...(method.startsWith('specnet') && { training: trainingOf(flags) }),
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
  const { model } = fit;
  const report = {
    eigenvalues: [...model.eigenvalues],
    converged: fit.converged,
    landmarks: model.kind === 'landmarks' ? model.landmarks.outputs : null,
    rows: coordinates?.rows ?? 0,
    seconds: { train, total: call.seconds() },
    reading: fit.statistics,
  };
  printReport(call, report, () => {
    const rows = report.eigenvalues.map((value, k) => [String(k + 1), value.toFixed(10)]);
    const by = describeMethod(method, report.landmarks);
    const time = `Learned by ${by} in ${formatMilliseconds(1000 * train)}.`;
    return `${formatTable(['', 'quotient'], rows, 0)}\n\n${describeReading(fit.statistics)}\n\n${time}`;
  });
  if (!fit.converged) terminal.note('specnet embed: the eigenproblem of the features did not converge.\n');
  return 0;
}

function describeMethod(method: string, landmarks: number | null): string {
  if (landmarks === null) return method;
  return `${method === 'ritz' ? 'the Ritz head' : 'regression'} on ${landmarks} landmarks`;
}

/** The options of the training of a network. */
function trainingOf({ scheme, moments, batch, rate, epochs, order }: Flags): NonNullable<StoredFitOptions['training']> {
  return {
    ...(scheme && { scheme }),
    ...(moments && { moments }),
    ...(batch !== undefined && { batch }),
    ...(rate !== undefined && { rate }),
    ...(epochs !== undefined && { epochs }),
    ...(order && { order }),
  };
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
