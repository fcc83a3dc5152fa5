/**
 * `npm run check:slurm`: starts Slurm with two nodes on this host, runs plans of tasks there, and compares the bits with
 * `specnet run`. Kills a node in mid-task, cancels and retries. Exit code 1 if something differs. Without Slurm it says so, and
 * does nothing.
 *
 *     -- --points 16000    of the neighbors. Default: 16000, with --quick 4000
 *     --quick              two plans only, none of which is disturbed. If they take more than three minutes it says so, with exit code 0
 *     --only NAME,…        these parts only, each with those that it needs before it
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sequentially } from '../../bench/sequentially.ts';
import { twoMoons } from '../../datasets/index.ts';
import { formatTable } from '../../lib/charts/table.ts';
import { writeCsv, writeNpyTensor } from '../../lib/doors/formats.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { Random } from '../../lib/index.ts';
import { Cluster, installSlurm, nodes, TooLate, until } from './slurm/cluster.ts';

const main = join(process.cwd(), 'dist/lib/cli/main.js');

/** Seconds that the plans may take in Slurm. */
const longest = 7200;
/** Seconds for the whole of a quick check after Slurm has started, and the parts that it has. */
const quick = { limit: 180, names: ['plane', 'fit'] };
/** The folder of a check is named after its process. */
const folderName = /^specnet-slurm-(\d+)-/;

interface Case {
  readonly name: string;
  /** The arguments of `specnet plan`. @ stands for the folder with the data. */
  readonly plan: string;
  /** The files of the result whose bits are compared. */
  readonly files: readonly string[];
}

const arrays = ['indptr', 'indices', 'data', 'degrees', 'checksums'].map((name) => `graph/${name}.npy`);

const cases: readonly Case[] = [
  { name: 'neighbors', plan: 'neighbors @points.npy --neighbors 12 --blocks 6', files: arrays },
  { name: 'plane', plan: 'neighbors @plane.npy --neighbors 8 --blocks 4', files: arrays },
  {
    name: 'fit',
    plan: 'fit @here-plane/graph @plane.npy -k 3 --landmarks 64 --blocks 4',
    files: ['model.specnet'],
  },
  {
    name: 'transform',
    plan: 'transform @here-fit/model.specnet @plane.npy --blocks 4',
    files: ['coordinates.npy'],
  },
  {
    name: 'sweep of 24 runs',
    plan: "sweep cluster @moons.csv --grid 'clusters=2; neighbors=8,12,16; graph=knn,self-tuned; seed=0..3' --blocks 6",
    files: ['table.csv', 'chart.svg'],
  },
  {
    name: 'reproduce',
    plan: 'reproduce one-moon-linear --quick --replicas 2 --epochs 3 --blocks 4',
    files: ['results/one-moon-linear.json'],
  },
];

function planOf(name: string): string {
  return cases.find((each) => each.name === name)!.plan;
}

class Check {
  readonly #folder: string;
  readonly #cluster: Cluster;
  readonly #end: number;

  /** `limit` is in seconds, for all plans in Slurm. */
  constructor(folder: string, cluster: Cluster, limit: number) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.#end = performance.now() + 1000 * limit;
  }

  #secondsLeft(): number {
    return Math.max(0, Math.round((this.#end - performance.now()) / 1000));
  }

  /** Runs the plan in Slurm and here, and returns a line of the table. */
  async compare({ name, plan, files }: Case): Promise<string[]> {
    const [word] = name.split(' ');
    for (const where of ['slurm', 'here']) this.#specnet(`plan ${plan} --out @${where}-${word}`);
    const [here, slurm] = [
      this.#seconds(() =>
        word === 'plane' ? this.#runByXargs('here-plane') : this.#specnet(`run @here-${word} --threads 1`),
      ),
      await this.#secondsOf(async () => {
        this.#specnet(`submit @slurm-${word}`);
        await this.#complete(`slurm-${word}`);
      }),
    ];
    const { tasks } = JSON.parse(this.#specnet(`plan ${plan} --out @slurm-${word} --json`));
    return [name, String(tasks), here.toFixed(1), slurm.toFixed(1), this.#differences(word, files)];
  }

  /** The same folder without any scheduler, as docs/scale.md shows it. */
  #runByXargs(run: string): void {
    const path = join(this.#folder, run);
    const { stages } = JSON.parse(this.#specnet(`plan ${planOf('plane')} --out @${run} --json`));
    for (const { first, last } of stages) {
      const work = `'${process.execPath}' '${main}' work '${path}' --task TASK --threads 1 --quiet`;
      const { status, stderr } = spawnSync('sh', ['-c', `seq ${first} ${last} | xargs -P 2 -I TASK ${work}`], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`xargs: ${stderr}`);
    }
  }

  /** A node dies with a task on it. Slurm queues the task again, and the bits are the same. */
  async killNode(): Promise<string[]> {
    this.#specnet('plan neighbors @points.npy --neighbors 12 --blocks 2 --out @slurm-killed');
    this.#specnet('submit @slurm-killed');
    const [, node] = nodes;
    const running = (): string[] => {
      const flags = ['--noheader', '--states=RUNNING', `--nodelist=${node}`, '--format=%A %K'];
      return this.#query('squeue', ...flags)
        .trim()
        .split(' ');
    };
    await until('task on the second node', () => running().length === 2);
    const [job, task] = running();
    const begun = join(this.#folder, 'slurm-killed', 'tasks', `${task.padStart(5, '0')}.begun.json`);
    await until(`begin of task ${task}`, () => existsSync(begun));
    const processes = this.#cluster.killNode(node);
    await until(
      'task that is queued again',
      () => / Restarts=1 /.test(this.#query('scontrol', 'show', 'job', job)),
      120,
    );
    this.#query('scontrol', 'update', `jobid=${job}`, 'starttime=now'); // Slurm would wait for two minutes
    this.#cluster.startNode(node);
    await this.#complete('slurm-killed');
    const differences = this.#differences('neighbors', arrays, 'slurm-killed');
    return ['a node killed', '3', '', '', `${differences}; ${processes} processes died, job ${job} was done again`];
  }

  /** The same plan on one node, and then on two. */
  async speedUp(): Promise<string[]> {
    const [, node] = nodes;
    const seconds = await sequentially(['drain', 'resume'], async (state) => {
      this.#query('scontrol', 'update', `nodename=${node}`, `state=${state}`, 'reason=speed');
      const run = `slurm-${state}`;
      this.#specnet(`plan neighbors @points.npy --neighbors 12 --blocks 6 --out @${run}`);
      return this.#secondsOf(async () => {
        this.#specnet(`submit @${run}`);
        await this.#complete(run);
      });
    });
    const differences = this.#differences('neighbors', arrays, 'slurm-resume', 'slurm-drain');
    const [one, two] = seconds.map((each) => each.toFixed(1));
    return [
      'one node, then two',
      '7',
      '',
      `${one}, ${two}`,
      `${differences}; ${(seconds[0] / seconds[1]).toFixed(2)} times as fast`,
    ];
  }

  /** Tasks are submitted twice, canceled and submitted again. */
  async cancelAndRetry(): Promise<string[]> {
    this.#specnet('plan neighbors @points.npy --neighbors 12 --blocks 6 --out @slurm-canceled');
    this.#specnet('submit @slurm-canceled');
    const again = this.#run('submit @slurm-canceled');
    if (again.status !== 1 || !/expected no tasks of this run in Slurm, got \d/.test(again.stderr)) {
      throw new Error(`the second submission was not refused: ${again.stdout}${again.stderr}`);
    }
    this.#specnet('submit @slurm-canceled --cancel');
    await until('end of the canceled jobs', () => this.#query('squeue', '--noheader').trim() === '');
    const { complete } = JSON.parse(this.#specnet('status @slurm-canceled --json'));
    if (complete) throw new Error('all tasks were done before they were canceled');
    this.#specnet('submit @slurm-canceled');
    await this.#complete('slurm-canceled');
    return ['canceled, submitted again', '7', '', '', this.#differences('neighbors', arrays, 'slurm-canceled')];
  }

  async #complete(run: string): Promise<void> {
    await until(
      `end of ${run}`,
      () => {
        const { complete, failures, slurm } = JSON.parse(this.#specnet(`status @${run} --json`));
        const isIdle = slurm && Object.keys(slurm).length === 0;
        if (!complete && (failures.length > 0 || isIdle)) {
          const late = JSON.parse(this.#specnet(`status @${run} --json`));
          if (!late.complete) throw new Error(`${run} has ended without a result: ${JSON.stringify(late)}`);
        }
        return complete;
      },
      this.#secondsLeft(),
    );
  }

  /** Which files of the run in Slurm differ from those of another run: the one here. */
  #differences(word: string, files: readonly string[], run = `slurm-${word}`, expected = `here-${word}`): string {
    const different = files.filter((name) => {
      const [one, other] = [run, expected].map((each) => comparable(join(this.#folder, each, name)));
      return !one.equals(other);
    });
    if (different.length === 0) return 'same bits';
    process.exitCode = 1;
    return `DIFFERENT: ${different.join(', ')}`;
  }

  #seconds(use: () => void): number {
    const start = performance.now();
    use();
    return (performance.now() - start) / 1000;
  }

  async #secondsOf(use: () => Promise<void>): Promise<number> {
    const start = performance.now();
    await use();
    return (performance.now() - start) / 1000;
  }

  #query(program: string, ...args: readonly string[]): string {
    return this.#cluster.query(program, ...args);
  }

  #specnet(line: string): string {
    const { status, stdout, stderr } = this.#run(line);
    if (status === 0) return stdout;
    throw new Error(`specnet ${line}: ${stderr}`);
  }

  #run(line: string) {
    const words = line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ''));
    const args = words.map((word) => (word.startsWith('@') ? join(this.#folder, word.slice(1)) : word));
    return spawnSync(process.execPath, [main, ...args], { env: this.#cluster.env, encoding: 'utf8' });
  }
}

/** The bytes of a result. Of `reproduce`, the numbers: the seconds of a replica differ from run to run. */
function comparable(path: string): Buffer {
  const bytes = readFileSync(path);
  if (!path.endsWith('.json')) return bytes;
  const { replicas } = JSON.parse(bytes.toString('utf8')) as { replicas: { numbers: unknown; task: unknown }[] };
  return Buffer.from(JSON.stringify(replicas.map(({ numbers, task }) => ({ numbers, task }))));
}

/** Removes what checks left whose process was killed. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const id = folderName.exec(name)?.[1];
    if (id === undefined || existsSync(`/proc/${id}`)) continue;
    Cluster.sweep(join(tmpdir(), name));
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

async function writeData(folder: string, points: number, plane: number): Promise<void> {
  for (const [name, shape] of Object.entries({ points: [points, 50], plane: [plane, 2] })) {
    const rows = zeros(shape);
    new Random(name).fillNormal(rows.data);
    writeFileSync(join(folder, `${name}.npy`), writeNpyTensor(rows));
  }
  writeFileSync(join(folder, 'moons.csv'), await writeCsv(twoMoons({ n: 600, seed: 1 })));
}

/** The parts of the check by name. */
function partsOf(check: Check): [name: string, run: () => Promise<string[]>][] {
  return [
    ...cases.map((each): [string, () => Promise<string[]>] => [each.name.split(' ')[0], () => check.compare(each)]),
    ['speed', () => check.speedUp()],
    ['killed', () => check.killNode()],
    ['canceled', () => check.cancelAndRetry()],
  ];
}

async function runCheck(names: readonly string[] | null, points: number, isQuick: boolean): Promise<void> {
  sweep();
  const problem = installSlurm(isQuick ? 120 : 600);
  if (problem !== null) {
    console.log(`check:slurm is left out: ${problem}.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), `specnet-slurm-${process.pid}-`));
  let cluster: Cluster | null = null;
  const stop = async (): Promise<void> => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  }
  try {
    await writeData(folder, points, isQuick ? 5000 : 40_000);
    cluster = await Cluster.start(join(folder, 'slurm'), isQuick ? 60 : 10).catch((error: Error) => {
      console.log(`check:slurm is left out: Slurm does not start here: ${error.message}.`);
      return null;
    });
    if (!cluster) return;
    const steps = partsOf(new Check(folder, cluster, isQuick ? quick.limit : longest)).filter(
      ([name]) => !names || names.includes(name),
    );
    const lines = await sequentially(steps, async ([, step]) => {
      const line = await step();
      console.error(`${line[0]}: ${line.at(-1)}`);
      return line;
    });
    console.log(formatTable(['plan', 'tasks', 'run, s', 'Slurm, s', 'result'], lines, 1));
    console.log(
      '\nrun: one process, one thread; plane: xargs, two at a time. Slurm: two nodes of one processor each, with the time to start jobs.',
    );
  } finally {
    await stop();
  }
}

const { values } = parseArgs({
  options: {
    points: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const names = values.only?.split(',') ?? (values.quick ? quick.names : null);
await runCheck(names, Number(values.points ?? (values.quick ? 4000 : 16_000)), values.quick).catch((error: Error) => {
  if (!(values.quick && error instanceof TooLate)) throw error;
  console.log(`check:slurm is left out: Slurm is too slow here: ${error.message}.`);
});
