/** The command `transform`: applies a saved model to the points of a file. */

import { loadModel } from '../../embedding/model/model-file.ts';
import { transform as applyModel } from '../../embedding/model/model.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Command, printReport } from '../shared/command.ts';
import { commonFlags } from '../shared/flags.ts';
import { nameFileInErrors, openLabeled, readBytes, requirePoints } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const transform: Command = {
  summary: 'compute the coordinates of points by a saved model',
  operands: ['MODEL', 'FILE'],
  flags: ['max-bytes', ...commonFlags],
  details: ['--out .csv .csv.gz .npy: the coordinates, one point per row', 'JSON: rows (their number), seconds'],
  examples: [
    [
      'specnet transform points.specnet points.csv --out coordinates.csv',
      'also for points that were not in the training set',
    ],
    ['specnet transform points.specnet points.npy --out coordinates.npy --json', 'with a report as JSON'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, progress, operands } = call;
    const [modelPath, path] = operands;
    requirePoints(path);
    const write = await prepareOutput(flags.out, tableWriters);
    const model = await nameFileInErrors(modelPath, async () => loadModel(await readBytes(modelPath)));
    progress.show(`reading ${path}`);
    const { points } = await nameFileInErrors(path, () => openLabeled(path, flags));
    const rows = await nameFileInErrors(path, async () => applyModel(model, points));
    progress.clear();
    const names = Array.from({ length: rows.cols }, (_, k) => `psi${k + 1}`);
    await write({ rows, names });
    const report = { rows: rows.rows, seconds: call.seconds() };
    const time = `Done in ${formatMilliseconds(1000 * report.seconds)}.`;
    const title = `${path}: ${rows.rows} points of ${points.cols} columns; ${model.kind} model of ${rows.cols} coordinates`;
    printReport(call, report, () => `${title}\n\n${describe(rows, names)}\n\n${time}`);
    return 0;
  },
};

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
