/** Which coordinates does a saved model give to the points of a file? The command `transform`. */

import { loadModel } from '../../embedding/model/model-file.ts';
import { transform as applyModel } from '../../embedding/model/model.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Command, present } from '../shared/command.ts';
import { commonFlags } from '../shared/flags.ts';
import { inNameOf, openLabelled, readBytes, requirePoints } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const transform: Command = {
  summary: 'give points the coordinates that a saved model has learned',
  operands: ['MODEL', 'FILE'],
  flags: commonFlags,
  details: ['--out .csv .csv.gz .npy: the coordinates, one point a row', 'JSON: rows (how many), seconds'],
  examples: [
    ['specnet transform points.specnet points.csv --out coordinates.csv', 'of points never seen, for instance'],
    ['specnet transform points.specnet points.npy --out coordinates.npy --json', 'for a program to read'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, progress, operands } = call;
    const [modelPath, path] = operands;
    requirePoints(path);
    const write = await prepareOutput(flags.out, tableWriters);
    const model = await inNameOf(modelPath, async () => loadModel(await readBytes(modelPath)));
    progress.show(`reading ${path}`);
    const { points } = await inNameOf(path, () => openLabelled(path));
    const rows = await inNameOf(path, async () => applyModel(model, points));
    progress.clear();
    const names = Array.from({ length: rows.cols }, (_, k) => `psi${k + 1}`);
    await write({ rows, names });
    const report = { rows: rows.rows, seconds: call.seconds() };
    const time = `Done in ${formatMilliseconds(1000 * report.seconds)}.`;
    const title = `${path}: ${rows.rows} points of ${points.cols} columns; ${model.kind} model of ${rows.cols} coordinates`;
    present(call, report, () => `${title}\n\n${describe(rows, names)}\n\n${time}`);
    return 0;
  },
};

/** Least, mean and largest of every coordinate. */
function describe(table: Tensor, names: readonly string[]): string {
  const lines = names.map((name, j) => {
    let [least, sum, largest] = [Infinity, 0, -Infinity];
    for (let at = j; at < table.size; at += table.cols) {
      const value = table.data[at];
      least = Math.min(least, value);
      largest = Math.max(largest, value);
      sum += value;
    }
    return [name, ...[least, sum / table.rows, largest].map(formatNumber)];
  });
  return formatTable(['', 'least', 'mean', 'largest'], lines, 1);
}
