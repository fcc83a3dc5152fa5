/** `npm run check:onnx`: compares exported models in onnxruntime with the models here. Exit code 1 if they differ. */

import { sequentially } from '../../bench/sequentially.ts';
import { formatNumber, formatTable } from '../../lib/charts/table.ts';
import { exportOnnx } from '../../lib/index.ts';
import { learnModels } from './models.ts';
import { compare, installRuntime, termsOf } from './onnx-runtime.ts';

/** Relative to the largest coordinate of the same column. */
const tolerance = 1e-5;
async function main(): Promise<void> {
  const runtime = installRuntime();
  if (typeof runtime === 'string') {
    console.error(`check:onnx: onnxruntime is not to be had: ${runtime}`);
    process.exitCode = 1;
    return;
  }
  const lines = await sequentially(await learnModels(), async (one) => {
    const bytes = exportOnnx(one.model);
    const difference = await compare(runtime, bytes, one);
    const terms = termsOf(one);
    const agrees = difference <= tolerance;
    if (!agrees) process.exitCode = 1;
    const verdict = agrees ? 'agrees' : 'DIFFERS';
    const { rows, cols } = one.points;
    return [one.name, `${rows}×${cols}`, String(bytes.length), terms.toFixed(0), formatNumber(difference), verdict];
  });
  console.log(formatTable(['model', 'points', 'bytes', 'terms', 'differs by', 'verdict'], lines, 1));
  console.log(`\nDifferences and terms of the last sum are relative to the coordinates; ${tolerance} is allowed.`);
}

await main();
