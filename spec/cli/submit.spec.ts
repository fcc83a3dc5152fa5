/** What `submit` asks of Slurm, tried with programs that only write down their arguments. `npm run check:slurm` has a real one. */

import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { writeCsv } from '../../lib/doors/formats.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('submit');

/** Stands in for sbatch, squeue and scancel: writes arguments and script to a log, and prints what a file says. */
const program = (folder: string, name: string): string => `#!/bin/sh
{ echo "${name} $*"; cat; } >> '${folder}/log'
if [ ${name} = sbatch ]; then n=$(cat '${folder}/next'); echo "$n;check"; echo $((n + 1)) > '${folder}/next'; fi
if [ ${name} = squeue ]; then cat '${folder}/queue'; fi
`;

interface Stand {
  readonly folder: string;
  shell(line: string): Promise<string>;
  /** The lines of the log since the last call. */
  log(): string[];
  queue(lines: string): void;
}

async function withPrograms(use: (stand: Stand) => Promise<void>): Promise<void> {
  const path = process.env.PATH;
  await inFolder(async (folder) => {
    for (const name of ['sbatch', 'squeue', 'scancel']) chmodSync(put(folder, name, program(folder, name)), 0o755);
    put(folder, 'next', '41\n');
    put(folder, 'queue', '');
    put(folder, 'points.csv', await writeCsv(blobs({ n: 40, seed: 1 })));
    process.env.PATH = `${folder}${delimiter}${path}`;
    try {
      await use({
        folder,
        async shell(line) {
          const words = line
            .match(/'[^']*'|\S+/g)!
            .map((word) => word.replaceAll("'", '').replaceAll('@', `${folder}/`));
          const { code, out, err } = await run(words);
          return code === 0 ? out : `${code}: ${err}`;
        },
        log() {
          const text = existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '';
          rmSync(join(folder, 'log'), { force: true });
          return text.trim().split('\n');
        },
        queue: (lines) => writeFileSync(join(folder, 'queue'), lines),
      });
    } finally {
      process.env.PATH = path;
    }
  });
}

test('each stage is an array that depends on the one before, and what is done is left out', () =>
  withPrograms(async ({ folder, shell, log, queue }) => {
    await shell("plan sweep cluster @points.csv --grid 'clusters=3; neighbors=4..9' --blocks 3 --out @run");
    await shell('work @run --task 2');
    assert.match(await shell("submit @run --slurm '--partition=main --time=9'"), /runs +41 +2\nreport +42 +1\n\nNext/);
    const [first, shebang, script, second, , merge] = log();
    const common = `--output=${folder}/run/logs/%A-%a.log --requeue`;
    const extra = '--partition=main --time=9';
    assert.is(first, `sbatch --parsable --job-name=specnet-sweep-runs --array=1,3 ${common} ${extra}`);
    assert.is(shebang, '#!/bin/sh');
    const words = `'work' '${folder}/run' --task "$SLURM_ARRAY_TASK_ID" --threads "\${SLURM_CPUS_PER_TASK:-1}" --quiet`;
    assert.ok(script.startsWith('exec ') && script.endsWith(words), script);
    const after = '--dependency=afterok:41 --kill-on-invalid-dep=yes';
    assert.is(second, `sbatch --parsable --job-name=specnet-sweep-report --array=4 ${common} ${after} ${extra}`);
    assert.is(merge, script);

    queue('41 RUNNING\n41 PENDING\n42 PENDING\n7 PENDING\n');
    assert.match(await shell('status @run'), /\nSlurm: 1 running, 2 pending\.\n/);
    assert.match(
      await shell('submit @run'),
      /^1: .*expected no tasks of this run in Slurm, got 3 that have not ended\. Wait/,
    );
    log();
    assert.match(await shell('submit @run --cancel'), /Canceled: 41, 42\./);
    assert.equal(log(), ['scancel 41 42']);
    queue('');
    assert.match(await shell('status @run'), /no job is queued or running; specnet submit submits the rest/);
    for (const task of [1, 3]) await shell(`work @run --task ${task}`);
    assert.equal(JSON.parse(await shell('submit @run --json')).arrays, [{ id: '43', stage: 'report', tasks: [4] }]);
    assert.not.match(log().join(' '), /--dependency/);
    await shell('work @run --task 4');
    assert.is(await shell('submit @run'), 'All tasks are done.\n');
  }));

test('a stage of more than a thousand tasks becomes several arrays', () =>
  withPrograms(async ({ shell, log }) => {
    await shell("plan sweep cluster @points.csv --grid 'clusters=3; seed=1..1001' --out @run");
    const { arrays } = JSON.parse(await shell('submit @run --json'));
    assert.equal(arrays.map(({ tasks }: { tasks: number[] }) => [tasks[0], tasks.length]), [[1, 1000], [1001, 1], [1002, 1]]); // oxfmt-ignore
    const lines = log();
    assert.match(lines[3], /--array=1 /);
    assert.match(lines[5], /--task "\$\(\(1000 \+ SLURM_ARRAY_TASK_ID\)\)"/);
    assert.match(lines[6], /--array=2 .*--dependency=afterok:41:42 /);
  }));

test('without Slurm, and if it refuses, the message says so', () =>
  withPrograms(async ({ folder, shell }) => {
    await shell("plan sweep cluster @points.csv --grid 'clusters=3' --out @run");
    assert.match(await shell('submit @run --cancel --slurm x'), /^2: .*expected --cancel or --slurm, got both\./);
    // Whether it has read the script by then or not.
    for (const reading of ['cat > /dev/null', 'exec 0<&-; sleep 0.1']) {
      put(folder, 'sbatch', `#!/bin/sh\n${reading}\necho "sbatch: error: invalid partition" >&2\nexit 1\n`);
      assert.match(
        await shell('submit @run'),
        /^1: .*expected sbatch to succeed, got sbatch: error: invalid partition\./,
      );
    }
    for (const name of ['sbatch', 'squeue', 'scancel']) rmSync(join(folder, name));
    process.env.PATH = folder;
    assert.match(
      await shell('submit @run'),
      /^1: .*expected the program sbatch of Slurm, got .*ENOENT\. Submit from a machine/,
    );
  }));

test.run();
