/** The time to read a table of numbers of 100 MB: `openTable` against `openPoints`, which reads nothing but numbers. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../lib/core/random.ts';
import { openPoints, openTable } from '../../lib/formats/disk.ts';
import { withFolder } from '../competitors/raw-files.ts';
import { sequentially } from '../sequentially.ts';
import { type QualityOptions, type Section, show, timed } from './section.ts';

const columns = 20;
const size = 100e6;
const rounds = 3;

export function readingTime({ say }: QualityOptions): Promise<Section> {
  return withFolder(async (folder) => {
    const path = join(folder, 'numbers.csv');
    say('reading: writing 100 MB');
    writeNumbers(path);
    const seconds = await sequentially(Array.from({ length: rounds }), async () => {
      say('reading: openPoints and openTable');
      const points = await timed(() => openPoints(path));
      const table = await timed(() => openTable(path));
      if (table.result.points.rows !== points.result.points.rows) throw new Error('the two readers differ');
      return { points: points.seconds, table: table.seconds };
    });
    const best = (name: 'points' | 'table'): number => Math.min(...seconds.map((each) => each[name]));
    const ratio = best('table') / best('points');
    return {
      title: 'Reading a CSV file of 100 MB, 20 columns of numbers',
      settings: `processor time, the best of ${rounds} rounds`,
      header: ['openPoints', 'openTable', 'ratio'],
      rows: [[`${show(best('points'), 2)} s`, `${show(best('table'), 2)} s`, `${show(ratio, 2)}×`]],
      notes: ['A column of text or a missing value takes the general way, which is several times slower.'],
      figures: { seconds, ratio },
    };
  });
}

function writeNumbers(path: string): void {
  const random = new Random('reading');
  const file = openSync(path, 'w');
  let written = writeSync(file, `${Array.from({ length: columns }, (_, c) => `c${c}`).join(',')}\n`);
  while (written < size) {
    const lines = Array.from({ length: 1000 }, () =>
      Array.from({ length: columns }, () => random.uniform(-100, 100).toFixed(4)).join(','),
    );
    written += writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
}
