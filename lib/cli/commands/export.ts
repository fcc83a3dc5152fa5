/** How does a saved model reach programs in other languages? The command `export`. */

import { loadModel } from '../../embedding/model/model-file.ts';
import { inputsOfModel, outputsOfModel } from '../../embedding/model/model.ts';
import { opset } from '../../embedding/onnx/onnx-graph.ts';
import { exportOnnx } from '../../embedding/onnx/onnx.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Command, present } from '../shared/command.ts';
import { inNameOf, readBytes } from '../shared/input.ts';
import { onnxWriters, prepareOutput } from '../shared/output.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const exportModel: Command = {
  summary: 'write a saved model as ONNX, for programs in other languages',
  operands: ['MODEL'],
  flags: ['out', 'json', 'quiet', 'help'],
  details: [
    '--out .onnx: input `points`, one a row, in single precision, or in double where they lie far from 0; output\n  `coordinates`',
    'JSON: model (its kind), inputs, outputs, opset, bytes',
  ],
  examples: [
    ['specnet export points.specnet --out points.onnx', 'for onnxruntime, for instance'],
    ['specnet export points.specnet --out points.onnx --json', 'for a program to read'],
  ],
  async run(call): Promise<ExitCode> {
    const [path] = call.operands;
    const { out } = call.flags;
    if (out === undefined) throw new UsageError('expected --out FILE, got none.');
    const write = await prepareOutput(out, onnxWriters);
    const model = await inNameOf(path, async () => loadModel(await readBytes(path)));
    const bytes = exportOnnx(model);
    await write(bytes);
    const [inputs, outputs] = [inputsOfModel(model), outputsOfModel(model)];
    const report = { model: model.kind, inputs, outputs, opset, bytes: bytes.length };
    const shape = `from ${inputs} columns to ${outputs} coordinates`;
    present(
      call,
      report,
      () => `${out}: ${model.kind} model ${shape}, ONNX opset ${opset}, ${Math.ceil(bytes.length / 1024)} KiB`,
    );
    return 0;
  },
};
