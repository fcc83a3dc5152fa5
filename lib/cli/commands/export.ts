/** The command `export`: converts a saved model to ONNX. */

import { loadModel } from '../../embedding/model/model-file.ts';
import { inputsOfModel, outputsOfModel } from '../../embedding/model/model.ts';
import { opset } from '../../embedding/onnx/onnx-graph.ts';
import { exportOnnx } from '../../embedding/onnx/onnx.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Command, printReport } from '../shared/command.ts';
import { nameFileInErrors, readBytes } from '../shared/input.ts';
import { onnxWriters, prepareOutput } from '../shared/output.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const exportModel: Command = {
  summary: 'convert a saved model to ONNX, for programs in other languages',
  operands: ['MODEL'],
  flags: ['out', 'json', 'quiet', 'help'],
  details: [
    '--out .onnx: input `points`, one per row, in single precision, or in double if the points lie far from 0;\n  output `coordinates`',
    'JSON: model (its kind), inputs, outputs, opset, bytes',
  ],
  examples: [
    ['specnet export points.specnet --out points.onnx', 'for onnxruntime and other runtimes'],
    ['specnet export points.specnet --out points.onnx --json', 'with a report as JSON'],
  ],
  async run(call): Promise<ExitCode> {
    const [path] = call.operands;
    const { out } = call.flags;
    if (out === undefined) throw new UsageError('expected --out FILE, got none.');
    const write = await prepareOutput(out, onnxWriters);
    const model = await nameFileInErrors(path, async () => loadModel(await readBytes(path)));
    const bytes = exportOnnx(model);
    await write(bytes);
    const [inputs, outputs] = [inputsOfModel(model), outputsOfModel(model)];
    const report = { model: model.kind, inputs, outputs, opset, bytes: bytes.length };
    const shape = `from ${inputs} columns to ${outputs} coordinates`;
    printReport(
      call,
      report,
      () => `${out}: ${model.kind} model ${shape}, ONNX opset ${opset}, ${Math.ceil(bytes.length / 1024)} KiB`,
    );
    return 0;
  },
};
