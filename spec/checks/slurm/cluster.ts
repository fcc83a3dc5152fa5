/** Slurm on this host: a controller and two nodes, with files, key and ports of their own, and a way to stop all of it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

export const nodes = ['n1', 'n2'] as const;

export type NodeName = (typeof nodes)[number];

/** Installs Debian's packages if they are missing, in so many seconds each time. Returns why there is no Slurm, or null. */
export function installSlurm(seconds: number): string | null {
  if (process.platform !== 'linux') return 'Slurm runs on Linux';
  if (process.getuid?.() !== 0) return 'only root can start the nodes of Slurm';
  if (hasPrograms()) return null;
  if (spawnSync('apt-get', ['--version']).status !== 0) return 'Slurm is not installed, and there is no apt-get';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: readonly string[]): boolean =>
    spawnSync('timeout', [String(seconds), 'apt-get', '-qq', '-o', 'Acquire::Retries=1', ...args], {
      env,
      stdio: 'ignore',
    }).status === 0;
  if (apt('update')) apt('install', '-y', '--no-install-recommends', 'slurm-wlm', 'munge');
  return hasPrograms() ? null : 'apt-get could not install slurm-wlm and munge';
}

function hasPrograms(): boolean {
  const wanted = ['slurmctld', 'slurmd', 'munged', 'sbatch', 'squeue', 'scancel', 'sinfo'];
  return wanted.every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
}

/** From 23 on, nodes need control groups unless they are told otherwise; before, they do not know that word. */
function majorVersion(): number {
  return Number(/\d+/.exec(spawnSync('slurmd', ['-V'], { encoding: 'utf8' }).stdout)?.[0] ?? 0);
}

export class Cluster {
  readonly folder: string;
  /** The environment in which programs of Slurm find this controller. */
  readonly env: NodeJS.ProcessEnv;
  readonly #processes = new Map<string, ChildProcess>();

  private constructor(folder: string) {
    this.folder = folder;
    this.env = { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') };
  }

  /** Starts everything in a folder of this process, and waits until both nodes are idle. A node that is silent for `patience` seconds is down. */
  static async start(folder: string, patience: number): Promise<Cluster> {
    const cluster = new Cluster(folder);
    try {
      for (const name of ['state', ...nodes]) mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, 'munge.key'), randomBytes(1024), { mode: 0o400 });
      if (majorVersion() > 22) writeFileSync(join(folder, 'cgroup.conf'), 'CgroupPlugin=disabled\n');
      writeFileSync(cluster.env.SLURM_CONF!, configuration(folder, patience, await freePorts(3)));
      const munge = ['key-file=munge.key', 'socket=munge.socket', 'pid-file=munge.pid', 'log-file=munge.log', 'seed-file=munge.seed']; // oxfmt-ignore
      const options = munge.map((text) => `--${text.replace('=', `=${folder}/`)}`);
      cluster.#spawn('munged', ['--foreground', '--force', ...options]);
      await until('munged', () => spawnSync('munge', ['-n', '--socket', join(folder, 'munge.socket')]).status === 0);
      cluster.#spawn('slurmctld', ['-D', '-f', cluster.env.SLURM_CONF!]);
      for (const node of nodes) cluster.startNode(node);
      await until('two idle nodes', () => cluster.#states().filter((state) => state === 'idle').length === 2);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  startNode(node: NodeName): void {
    this.#spawn(`slurmd ${node}`, ['-D', '-N', node, '-f', this.env.SLURM_CONF!], 'slurmd');
  }

  /** Ends a node at once, with all that runs on it, as a loss of power would. Returns how many processes there were. */
  killNode(node: NodeName): number {
    const slurmd = this.#processes.get(`slurmd ${node}`)!;
    this.#processes.delete(`slurmd ${node}`);
    const jobs = this.#ownProcesses().filter(({ environment }) => environment.includes(`SLURMD_NODENAME=${node}\0`));
    // Those that watch the jobs go first: they would report that a job was killed.
    const watchers = new Set(jobs.map(({ id }) => parentOf(id)).filter((id) => nameOf(id) === 'slurmstepd'));
    slurmd.kill('SIGKILL');
    const all = new Set([...watchers, ...jobs.map(({ id }) => id)]);
    for (const id of all) kill(id);
    return all.size + 1;
  }

  /** What a program of Slurm prints. */
  query(program: string, ...args: readonly string[]): string {
    return spawnSync(program, args, { env: this.env, encoding: 'utf8' }).stdout ?? '';
  }

  /** Stops all processes that were started here, by their ids. */
  async stop(): Promise<void> {
    if (this.#processes.has('slurmctld')) {
      this.query('scancel', '--user=root');
      await until('the end of all jobs', () => this.query('squeue', '--noheader').trim() === '', 15).catch(
        () => undefined,
      );
    }
    const ended = [...this.#processes.values()].map(
      (child) => new Promise((resolve) => (child.exitCode ?? child.signalCode) === null ? child.once('exit', resolve) : resolve(null)), // oxfmt-ignore
    );
    for (const child of this.#processes.values()) child.kill('SIGTERM');
    const late = setTimeout(() => {
      for (const child of this.#processes.values()) child.kill('SIGKILL');
    }, 10_000);
    await Promise.all(ended);
    clearTimeout(late);
    for (const { id } of this.#ownProcesses()) kill(id);
  }

  /** Ends the processes of a cluster whose process was killed before it could stop them. */
  static sweep(folder: string): void {
    for (const { id } of new Cluster(folder).#ownProcesses()) kill(id);
  }

  #spawn(name: string, args: readonly string[], program = name): void {
    const child = spawn(program, args, { stdio: 'ignore', env: this.env });
    child.once('error', () => undefined);
    this.#processes.set(name, child);
  }

  #states(): string[] {
    return this.query('sinfo', '--noheader', '--Node', '--format=%T').trim().split('\n');
  }

  /** Processes of this cluster: those whose environment or command line names its folder. */
  #ownProcesses(): { readonly id: number; readonly environment: string }[] {
    return readdirSync('/proc').flatMap((name) => {
      const id = Number(name);
      if (!Number.isInteger(id) || id === process.pid) return [];
      try {
        const [environment, command] = ['environ', 'cmdline'].map((file) =>
          readFileSync(`/proc/${id}/${file}`, 'latin1'),
        );
        const isOwn = `${environment}\0${command}`.includes(`${this.folder}/`);
        return isOwn ? [{ id, environment }] : [];
      } catch {
        return []; // it has ended
      }
    });
  }
}

/** The fields of a process after its name: state, parent, … */
function statusOf(id: number): { readonly name: string; readonly fields: readonly string[] } {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
    return { name: text.slice(open + 1, close), fields: text.slice(close + 2).split(' ') };
  } catch {
    return { name: '', fields: [] }; // it has ended
  }
}

function parentOf(id: number): number {
  return Number(statusOf(id).fields[1] ?? 0);
}

function nameOf(id: number): string {
  return statusOf(id).name;
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function configuration(folder: string, patience: number, [control, first, second]: readonly number[]): string {
  return `ClusterName=check
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${folder}/munge.socket
CredType=cred/munge
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/%n.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
SlurmdTimeout=${patience}
SchedulerParameters=bf_interval=1,sched_interval=2
NodeName=n1 NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${first} CPUs=1 RealMemory=2000
NodeName=n2 NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${second} CPUs=1 RealMemory=2000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

/** Ports that nobody listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Something that did not happen in time. */
export class TooLate extends Error {}

/** Waits until a condition holds. */
export async function until(what: string, holds: () => boolean, seconds = 60): Promise<void> {
  for (const start = performance.now(); !holds();) {
    if (performance.now() - start > 1000 * seconds) throw new TooLate(`no ${what} within ${seconds} s`);
    // oxlint-disable-next-line no-await-in-loop -- it waits
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
