/** Runs a process in a memory cgroup with a hard limit, and tells what it took. */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a process took. Memory is in bytes. */
export interface Usage {
  readonly output: string;
  readonly wall: number;
  /** Seconds of the processor, of all threads. */
  readonly processor: number;
  readonly resident: number;
  /** The most that the cgroup held, with pages of files; null without a limit. */
  readonly held: number | null;
  /** Bytes that came from the disk. */
  readonly fromDisk: number;
}

const [v1, v2] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'];

/** The reason why no limit can be set here, or null. */
export function whyUnlimited(): string | null {
  try {
    const group = new MemoryGroup(2 ** 28);
    group.remove();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A cgroup of version 1 or 2, whichever limits memory here. */
class MemoryGroup {
  readonly #folder: string;
  readonly #isFirst: boolean;

  constructor(limit: number) {
    this.#isFirst = existsSync(join(v1, 'memory.limit_in_bytes'));
    this.#folder = join(this.#isFirst ? v1 : v2, `specnet-scale-${process.pid}-${groups++}`);
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, this.#isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(limit));
  }

  get processes(): string {
    return join(this.#folder, 'cgroup.procs');
  }

  get most(): number {
    const name = this.#isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak';
    return Number(readFileSync(join(this.#folder, name), 'utf8'));
  }

  remove(): void {
    rmdirSync(this.#folder);
  }
}

let groups = 0;

/** Runs Node with these arguments, with at most `limit` bytes of memory, pages of files included; null for no limit. */
export async function runLimited(args: readonly string[], limit: number | null): Promise<Usage> {
  const group = limit === null ? null : new MemoryGroup(limit);
  const enter = group ? `echo $$ > '${group.processes}' && ` : '';
  const started = performance.now();
  const child = spawn('sh', ['-c', `${enter}exec "$@"`, 'sh', process.execPath, ...args]);
  const seen = { processor: 0, resident: 0, fromDisk: 0 };
  const poll = setInterval(() => look(child.pid!, seen), 200);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (errors += text));
  const code = await new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)));
  clearInterval(poll);
  const wall = (performance.now() - started) / 1000;
  const held = group?.most ?? null;
  group?.remove();
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}${output}`);
  return { output, wall, held, ...seen };
}

/** Ticks of /proc in a second. */
const ticks = 100;

/** Reads what the process took so far. It may have ended. */
function look(pid: number, seen: { processor: number; resident: number; fromDisk: number }): void {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    seen.processor = (Number(fields[11]) + Number(fields[12])) / ticks;
    // A process that is about to end has no memory.
    const resident = 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    seen.resident = Math.max(seen.resident, resident);
    seen.fromDisk = Number(/read_bytes: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has just ended.
  }
}
