/** The parts of a training step and their times, on one thread and on two. */

import { setTimeout as pause } from 'node:timers/promises';
import { formatNumber } from '../../lib/core/readable.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { bothTwins } from '../loads/data.ts';
import { joined } from '../competitors/tfjs-training.ts';
import { sequentially } from '../sequentially.ts';
import { type Load, mnistLoad, moonLoad, rollLoad, sizeOf, stepsOf } from '../loads/loads.ts';
import { mean } from '../quality/section.ts';
import { parts, watchedTraining } from '../profile/stages.ts';
import { rest, Watch } from '../profile/watch.ts';
import { type Context, givenRow, type Group, rivalOf, type Row } from '../report/row.ts';

const threadCounts = [1, 2] as const;
/** Rounds are this many times longer than those of single kernels. */
const patience = 10;
/** The parameters are compared with those of the trainer after this many steps. */
const comparedSteps = 3;

export const profile: Group = async (context) => {
  bothTwins();
  const watch = new Watch();
  const mnist = await mnistLoad(context.quick ? 5000 : 20_000);
  const loads: (() => Load | Promise<Load>)[] = [
    moonLoad,
    ...[2, 4, 8].map((batch) => () => ({ ...mnist, batch })),
    () => rollLoad(context.quick ? 100_000 : 1_000_000),
  ];
  const rows = await sequentially(loads, async (make) => profileOf(context, watch, await make()));
  context.note(
    'Parts are means over the middle half of the steps of the quietest round. They add up to "step, watched", which looks at the clock.',
  );
  context.note(
    '"rest" is what is in none of them: drawing batches, the step itself. "chain" is what lies between layers: picking rows.',
  );
  return rows.flat();
};

/** Milliseconds per step. */
interface Measured {
  readonly plain: number;
  readonly watched: number;
  readonly parts: ReadonlyMap<string, number>;
}

async function profileOf(context: Context, watch: Watch, load: Load): Promise<Row[]> {
  const size = sizeOf(load);
  context.say(size);
  const { step: plainStep, parameters, left } = stepsOf(load);
  const { step, network } = watchedTraining(watch, load);
  for (let i = 0; i < comparedSteps; i++) {
    plainStep();
    step();
  }
  const watchedParameters = joined(network.parameters.map(({ data }) => data));
  if (parameters().some((value, i) => value !== watchedParameters[i])) {
    throw new Error(`profile: the watched steps of ${size} are not those of the trainer.`);
  }
  const rounds = Array.from({ length: context.pace.rounds }, (_, i) => i);
  const measured = await sequentially(rounds, () =>
    sequentially(threadCounts, async (threads) => {
      setThreads(threads);
      samplesFor(patience * context.pace.milliseconds, plainStep);
      await pause(threads > 1 ? 100 : 0); // wait for the workers to start
      return measureOnce(watch, plainStep, step, patience * context.pace.milliseconds);
    }),
  );
  setThreads(1);
  const [one, two] = threadCounts.map((_, t) => quietest(measured.map((round) => round[t])));
  checkParts(size, one);
  context.note(`${size}: at the end ${formatNumber(100 * left())} % of the first hidden units are not 0.`);
  const checksum = parameters().reduce((sum, value) => sum + value, 0);
  const row = (kernel: string, ours: number, other: number, share?: number): Row =>
    givenRow(kernel, size, ours, {
      others: { '2 threads': rivalOf(other, ours) },
      checksum: kernel === 'step' ? checksum : 0,
      ...(share === undefined ? {} : { share }),
    });
  return [
    row('step', one.plain, two.plain),
    row('step, watched', one.watched, two.watched, 100),
    ...inOrder([...one.parts.keys()]).map((part) =>
      row(part, one.parts.get(part)!, two.parts.get(part) ?? 0, (100 * one.parts.get(part)!) / one.watched),
    ),
  ];
}

function measureOnce(watch: Watch, plainStep: () => void, step: () => void, milliseconds: number): Measured {
  const plain = samplesFor(milliseconds / 2, () => {
    const start = performance.now();
    plainStep();
    return { total: performance.now() - start };
  });
  const watched = samplesFor(milliseconds / 2, () => {
    watch.start();
    step();
    const times = watch.stop();
    return { total: [...times.values()].reduce((sum, time) => sum + time, 0), times };
  });
  const names = new Set(watched.flatMap(({ times }) => [...times.keys()]));
  const typical = middleHalf(watched);
  return {
    plain: mean(middleHalf(plain).map(({ total }) => total)),
    watched: mean(typical.map(({ total }) => total)),
    parts: new Map([...names].map((part) => [part, mean(typical.map(({ times }) => times.get(part) ?? 0))])),
  };
}

function samplesFor<T>(milliseconds: number, sample: () => T): T[] {
  const samples: T[] = [];
  const end = performance.now() + milliseconds;
  do samples.push(sample());
  while (performance.now() < end);
  return samples;
}

/** Drops the slowest quarter (interrupted steps) and the fastest quarter. The parts of the remaining steps still add up. */
function middleHalf<T extends { readonly total: number }>(samples: readonly T[]): T[] {
  const quarter = Math.floor(samples.length / 4);
  return samples.toSorted((a, b) => a.total - b.total).slice(quarter, samples.length - quarter);
}

/** The quietest round of plain steps and the quietest round of watched steps, chosen separately. */
function quietest(rounds: readonly Measured[]): Measured {
  const best = rounds.reduce((least, round) => (round.watched < least.watched ? round : least));
  return { ...best, plain: Math.min(...rounds.map(({ plain }) => plain)) };
}

/** Throws if an expected part did not occur, so that a part cannot vanish silently. */
function checkParts(size: string, { parts: found }: Measured): void {
  const missing = parts.filter((part) => ![...found.keys()].some((name) => name.startsWith(part)));
  if (missing.length > 0) throw new Error(`profile: nothing was seen of ${missing.join(', ')} in ${size}.`);
}

/** Sorts the parts in the order of a step, and layers in the order of evaluation. */
function inOrder(names: readonly string[]): string[] {
  const place = (name: string): number => {
    const at = parts.findIndex((part) => name.startsWith(part));
    return at < 0 ? parts.length : at;
  };
  return names.toSorted((a, b) => Number(a === rest) - Number(b === rest) || place(a) - place(b));
}
