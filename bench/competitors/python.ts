/** scipy and numpy as competitors: a child process that receives our arrays and runs on request. */

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Competitor, Timing } from '../measure.ts';
import { inFolderOf, withFolder } from './raw-files.ts';

const script = fileURLToPath(new URL('../peers/scipy_peer.py', import.meta.url));
const interpreters = ['python3', '/usr/bin/python3'];
export const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };

/** The Python packages that are needed, and how to install them. */
const packages = {
  scipy: {
    modules: 'scipy.sparse, scipy.spatial, numpy',
    name: 'scipy and numpy are',
    way: 'Debian: apt install python3-scipy; elsewhere: pip install scipy',
  },
  sklearn: {
    modules: 'sklearn.manifold, scipy.sparse',
    name: 'scikit-learn is',
    way: 'Debian: apt install python3-sklearn; elsewhere: pip install scikit-learn',
  },
  slepc: {
    modules: 'petsc4py.PETSc, slepc4py.SLEPc, scipy.sparse',
    name: 'SLEPc is',
    way: 'Debian: apt install python3-slepc4py python3-scipy',
  },
};

/** Debian keeps the modules of PETSc and SLEPc in folders of their own. */
const debianFolders = 'import glob, sys; sys.path += glob.glob("/usr/lib/*dir/*/*/lib/python3/dist-packages")';

/** The name of the case in the script, its sizes, and its arrays, which must be on the ordinary heap. */
export interface PythonCase {
  readonly case:
    | 'sparse'
    | 'gram'
    | 'distances'
    | 'all pairs'
    | 'tree'
    | 'eigsh'
    | 'shift-invert'
    | 'lobpcg'
    | 'slepc'
    | 'current embedding'
    | 'epoch';
  readonly sizes: Readonly<Record<string, number | boolean | string>>;
  readonly arrays: Readonly<Record<string, NodeJS.TypedArray>>;
}

/** An interpreter that has scipy or scikit-learn. Null, with a note on how to install them, if there is none. */
export function findPython(note: (text: string) => void, wanted: keyof typeof packages): string | null {
  const { modules, name, way } = packages[wanted];
  const found = interpreters.find(
    (interpreter) => spawnSync(interpreter, ['-c', `${debianFolders}; import ${modules}`]).status === 0,
  );
  if (found === undefined) {
    note(`${name} left out: neither ${interpreters.join(' nor ')} can import ${modules} (${way}).`);
  }
  return found ?? null;
}

export class Python {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  /** The first line that the child printed: its versions. */
  versions = '';

  private constructor(interpreter: string) {
    this.#child = spawn(interpreter, [script], { env: { ...process.env, ...oneThread } });
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Null, with a note on how to install them, if no interpreter has scipy or scikit-learn. */
  static async start(note: (text: string) => void, wanted: keyof typeof packages = 'scipy'): Promise<Python | null> {
    const found = findPython(note, wanted);
    if (found === null) return null;
    const python = new Python(found);
    const versions = Object.entries(await python.#read()).map(([name, version]) => `${name} ${String(version)}`);
    python.versions = `${versions.join(', ')} (${found})`;
    return python;
  }

  /** A competitor in a process of its own, which ends with the race. Null, with a note, if what it needs is not installed. */
  static async alone(
    note: (text: string) => void,
    name: string,
    input: PythonCase,
    wanted: keyof typeof packages = 'scipy',
  ): Promise<Competitor | null> {
    const python = await Python.start(note, wanted);
    return python && { ...(await python.competitor(name, input)), close: () => python.stop() };
  }

  /** Only the competitor made last can run: the child holds one case at a time. */
  async competitor(name: string, input: PythonCase): Promise<Competitor> {
    await inFolderOf(input.arrays, (folder) =>
      this.#ask({ request: 'load', folder, case: input.case, ...input.sizes }),
    );
    let last = 0;
    return {
      name,
      answer: () => this.#answer(),
      time: async (milliseconds, warmUp) => {
        if (warmUp) await this.#ask({ request: 'time', milliseconds });
        const { checksum, ...timing } = await this.#ask({ request: 'time', milliseconds });
        last = checksum as number;
        return timing as unknown as Timing;
      },
      checksum: () => last,
    };
  }

  stop(): void {
    this.#child.stdin.end();
  }

  #answer(): Promise<Float64Array> {
    return withFolder(async (folder) => {
      await this.#ask({ request: 'answer', file: join(folder, 'result') });
      return new Float64Array(new Uint8Array(readFileSync(join(folder, 'result'))).buffer);
    });
  }

  #ask(request: object): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.#read();
  }

  async #read(): Promise<Record<string, unknown>> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('scipy_peer.py ended before its time; its own message stands above.');
    return JSON.parse(value as string) as Record<string, unknown>;
  }
}
