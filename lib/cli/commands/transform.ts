/** The command `transform`: applies a saved model to the points of a file. */

import { missingRules } from '../../formats/table/columns/encoding.ts';
import { loadModel } from '../../embedding/model/model-file.ts';
import { outputsOfModel, transform as applyModel } from '../../embedding/model/model.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, type Command, printReport } from '../shared/command.ts';
import { checkBlockFlags, describeCoordinates, prepareBlockOutput } from '../shared/stored.ts';
import { commonFlags, plotFlags, readingFlags } from '../flags/flags.ts';
import { nameFileInErrors, openPointFile, readBytes, requirePoints } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { preparePlot } from '../shared/plot.ts';
import { carriedAlong, checkTableFlags, describeTable, tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const transform: Command = {
  summary: 'compute the coordinates of points by a saved model',
  operands: ['MODEL', 'FILE'],
  flags: [...readingFlags, 'memory', 'max-bytes', ...plotFlags, ...commonFlags],
  overrides: {
    memory: { help: 'compute from .npy to .npy block by block within this memory, such as 512MiB' },
    missing: { help: 'rows with missing values; default: as in embed', choices: missingRules },
  },
  details: [
    'A table needs the columns of the model, by name, in any order. Further columns are ignored.',
    '--out .csv .csv.gz .npy: the coordinates, one point per row; CSV includes ids and labels',
    'JSON: rows (their number), seconds; for a table, table {columns, label, id, missing, dropped, notes}',
  ],
  examples: [
    [
      'specnet transform points.specnet points.csv --out coordinates.csv',
      'also for points that were not in the training set',
    ],
    ['specnet transform points.specnet points.npy --out coordinates.npy --json', 'with a report as JSON'],
    ['specnet transform points.specnet points.csv --plot coordinates.svg', 'a picture for a document'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, progress, operands } = call;
    const [modelPath, path] = operands;
    if (flags.memory !== undefined) return transformFile(call);
    requirePoints(path);
    checkTableFlags(path, flags);
    const write = await prepareOutput(flags.out, tableWriters);
    const plot = await preparePlot(call);
    const model = await nameFileInErrors(modelPath, async () => loadModel(await readBytes(modelPath)));
    progress.show(`reading ${path}`);
    const { points, table, dataset } = await openPointFile(path, call, model.columns);
    const names = Array.from({ length: outputsOfModel(model) }, (_, k) => `psi${k + 1}`);
    plot.checkColor(dataset, names);
    const rows = await nameFileInErrors(path, async () => applyModel(model, points));
    progress.clear();
    await write({ rows, names, ...carriedAlong(table) });
    const diagnostics = { model: `${modelPath}, on ${model.kind}`, 'columns of a point': points.cols };
    await plot.write(rows, dataset, { names, eigenvalues: model.eigenvalues, diagnostics });
    const report = { rows: rows.rows, seconds: call.seconds(), ...tableReport(table) };
    const time = `Done in ${formatMilliseconds(1000 * report.seconds)}.`;
    const first = `${path}: ${rows.rows} points of ${points.cols} columns; ${model.kind} model of ${rows.cols} coordinates`;
    printReport(
      call,
      report,
      () => `${[first, ...describeTable(table)].join('\n')}\n\n${describe(rows, names)}\n\n${time}`,
    );
    return 0;
  },
};

/** From a .npy file to a .npy file, neither of which need fit in memory. */
async function transformFile(call: Call): Promise<ExitCode> {
  const { flags, operands, progress } = call;
  const [modelPath, path] = operands;
  checkBlockFlags(path, flags, '--memory', ['memory', ...commonFlags]);
  const write = prepareBlockOutput(flags, '--memory');
  if (!write) throw new UsageError('expected --out FILE.npy with --memory, got none.');
  const model = await nameFileInErrors(modelPath, async () => loadModel(await readBytes(modelPath)));
  const coordinates = await nameFileInErrors(path, () => write(model, path, call));
  progress.clear();
  const report = { rows: coordinates.rows, seconds: call.seconds() };
  const first = `${path}: ${coordinates.rows} points; ${model.kind} model of ${coordinates.columns.length} coordinates`;
  const time = `Done in ${formatMilliseconds(1000 * report.seconds)}.`;
  printReport(
    call,
    report,
    () => `${first}

${describeCoordinates(coordinates)}

${time}`,
  );
  return 0;
}

/** The minimum, mean and maximum of every coordinate. */
function describe(table: Tensor, names: readonly string[]): string {
  const lines = names.map((name, j) => {
    let [min, sum, max] = [Infinity, 0, -Infinity];
    for (let at = j; at < table.size; at += table.cols) {
      const value = table.data[at];
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
    }
    return [name, ...[min, sum / table.rows, max].map(formatNumber)];
  });
  return formatTable(['', 'min', 'mean', 'max'], lines, 1);
}
