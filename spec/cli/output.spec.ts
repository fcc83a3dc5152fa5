/** Files are written completely or not at all, even after Ctrl-C. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceFileSync, writeAtomically } from '../../lib/cli/shared/output.ts';
import { refusalOf } from '../sparse/reference.ts';
import { inFolder, interruptProgram, put } from './run.ts';

const test = suite('output of commands');

async function* failing(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1000);
  throw new Error('the disk is full');
}

test('a file appears as a whole, in place of one that was there', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('ne');
      assert.is(readFileSync(path, 'utf8'), 'old', 'until the last byte is written');
      yield Buffer.from('w');
    }
    await writeAtomically(path, pieces());
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'new']);
    assert.is(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM'), 0);
  }));

test('one that fails leaves the old file, and nothing beside it', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    const refusal = await refusalOf(writeAtomically(path, failing()));
    assert.is(refusal, '--out: expected a file that can be written, got the disk is full.');
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'old']);
    assert.is(process.listenerCount('SIGINT'), 0);
  }));

test('who cannot wait leaves nothing beside it either', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.json', 'old');
    replaceFileSync(path, Buffer.from('new'));
    assert.is(readFileSync(path, 'utf8'), 'new');
    const taken = `${folder}/b.json`;
    mkdirSync(`${taken}/in the way`, { recursive: true });
    assert.throws(
      () => replaceFileSync(taken, Buffer.from('new')),
      /^--out: expected a file that can be written, got E\w+: /,
    );
    assert.equal(readdirSync(folder).toSorted(), ['a.json', 'b.json']);
  }));

test('interrupted while it writes, so does it: the process ends by the signal, exit 130 to a shell', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    const { signal } = await interruptProgram(`
      import { writeAtomically } from './lib/cli/shared/output.ts';
      import { readdirSync } from 'node:fs';
      async function* endless() {
        yield new Uint8Array(1000);
        setTimeout(() => console.log(readdirSync(${JSON.stringify(folder)}).length + ' files now'), 50);
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }
      await writeAtomically(${JSON.stringify(path)}, endless());
    `);
    assert.is(signal, 'SIGINT');
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'old']);
  }));

test('interrupted while it works, a command ends at once, and nothing is written', () =>
  inFolder(async (folder) => {
    const path = `${folder}/points.csv`;
    writeFileSync(path, Array.from({ length: 30_000 }, (_, i) => `${i},${(i * i) % 9973}\n`).join(''));
    const { out, err, signal } = await interruptProgram(`
      setTimeout(() => console.log('now'), 100);
      process.argv.push('specnet', 'eigen', ${JSON.stringify(path)}, '-k', '50', '--json', '--out', ${JSON.stringify(`${folder}/v.npy`)});
      await import('./lib/cli/main.ts');
    `);
    assert.is(signal, 'SIGINT');
    assert.equal([out, err], ['now\n', '']);
    assert.equal(readdirSync(folder), ['points.csv']);
  }));

test.run();
