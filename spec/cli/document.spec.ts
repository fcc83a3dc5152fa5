/** The commands in the documents print what the documents say. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { twoMoons } from '../../datasets/index.ts';
import { writeCsv } from '../../lib/doors/formats.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('documents of the command line');

/** In a console block, each line after `$ ` is a command, followed by its output. */
function transcripts(text: string): { line: string; printed: string }[] {
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => ({ line: part.split('\n')[0], printed: part.slice(part.indexOf('\n') + 1) })),
  );
}

/** Removes what may differ: times, products, residuals, and digits beyond the tenth. */
function comparable(text: string): string {
  return text
    .replaceAll(/\b[\d.]+ (µs|ms|s)\b|(?<="seconds":)[\d.]+/g, 'TIME')
    .replaceAll(/\b\d+(?= products)|(?<="products":)\d+/g, 'SOME')
    .replaceAll(/\d(\.\d+)?e-[12]\d/g, 'TINY')
    .replaceAll(/\d+\.\d{11,}/g, (digits) => Number(digits).toPrecision(10))
    .replaceAll(/ +/g, ' ')
    .trim();
}

for (const document of ['docs/command-line.md', 'docs/theory.md', 'README.md']) {
  test(document, () =>
    inFolder(async (folder) => {
      const examples = transcripts(readFileSync(document, 'utf8'));
      assert.ok(examples.length > 0);
      put(folder, 'moons.csv', await writeCsv(twoMoons({ seed: 1 })));
      const here = process.cwd();
      process.chdir(folder);
      try {
        await forEachInOrder(examples, async ({ line, printed }) => {
          const { code, out, err } = await run(line.split(' ').slice(1));
          assert.is(code, 0, `${line}: ${err}`);
          assert.is(comparable(out), comparable(printed), line);
        });
      } finally {
        process.chdir(here);
      }
    }),
  );
}

test.run();
