/** Peak memory of training on a million points, and its growth. Each figure is the maximum up to that phase. */

import { linesOf } from '../child.ts';
import type { Phase } from '../memory.ts';
import { givenRow, type Group, mebibytes } from '../report/row.ts';

const epochs = 4;
/** 2,000 steps per epoch for a million points. */
const batch = 500;

/** Takes about a minute. A quick run uses 100,000 points. */
export const memory: Group = async (context) => {
  const n = context.quick ? 100_000 : 1_000_000;
  const size = `Swiss roll ${n}, 16 neighbors`;
  const phases: Phase[] = [];
  await linesOf('./memory.ts', [n, epochs, batch].map(String), (line) => {
    const phase = JSON.parse(line) as Phase;
    phases.push(phase);
    context.say(`${phase.phase}: ${mebibytes(phase.resident)}`);
  });
  const trained = phases.filter(({ phase }) => phase.startsWith('epoch')).map(({ resident }) => resident);
  const last = phases[phases.length - 1];
  const whole = 1000 * phases.reduce((sum, { seconds }) => sum + seconds, 0);
  context.note(`Resident after each epoch: ${trained.map(mebibytes).join(', ')}. Times are those of the processor.`);
  return [
    ...phases.map(({ phase, seconds, peak, checksum }) =>
      givenRow(phase, size, 1000 * seconds, { bytes: peak, checksum }),
    ),
    givenRow('peak', size, whole, { bytes: last.peak, checksum: 0 }),
    givenRow('growth', `${size}, epoch 1 to ${epochs}`, whole, {
      bytes: Math.max(...trained) - trained[0],
      checksum: 0,
    }),
  ];
};
