/** C as a competitor: a child process, compiled on first use, that receives our arrays and runs on request. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Competitor } from '../measure.ts';
import { inFolderOf, withFolder } from './raw-files.ts';

const source = fileURLToPath(new URL('../peers/csr.c', import.meta.url));
const compilers = ['gcc', 'clang', 'cc'];

/**
 * '128 bit' uses the vector width of WebAssembly. 'native' uses everything this processor has, including AVX and fused
 * operations.
 */
const flavours = {
  'C, 128 bit': ['-O3', '-msse4.2', '-DSSE'],
  'C, native': ['-O3', '-march=native'],
} as const;
export type Flavour = keyof typeof flavours;
export const cFlavours = Object.keys(flavours) as Flavour[];

/** The C compiler of this machine and the programs compiled so far. */
export class CLoops {
  readonly #folder = mkdtempSync(join(tmpdir(), 'specnet-c-'));
  readonly #compiler: string;

  private constructor(compiler: string) {
    this.#compiler = compiler;
    process.on('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Null, with a note, if there is no compiler or it cannot compile both programs. */
  static start(note: (text: string) => void): CLoops | null {
    const found = compilers.find((name) => spawnSync(name, ['--version']).status === 0);
    if (!found) {
      note(`The loops in C are left out: there is none of ${compilers.join(', ')} (Debian: apt install gcc).`);
      return null;
    }
    const loops = new CLoops(found);
    for (const flavour of cFlavours) {
      const words = [...flavours[flavour], '-o', loops.#program(flavour), source];
      const { status, stderr } = spawnSync(found, words, { encoding: 'utf8' });
      if (status === 0) continue;
      note(`The loops in C are left out: ${found} ${words[0]} ${words[1]} failed: ${stderr.split('\n')[0]}`);
      return null;
    }
    const [version] = spawnSync(found, ['--version'], { encoding: 'utf8' }).stdout.split('\n');
    note(
      cFlavours.map((flavour) => `${flavour}: ${found} ${flavours[flavour].join(' ')}`).join('; ') + ` (${version}).`,
    );
    return loops;
  }

  /** The product of a sparse matrix, or its transpose, with the dense matrix x of `width` columns. */
  async competitor(
    flavour: Flavour,
    { rows, width, transposed }: { rows: number; width: number; transposed: boolean },
    arrays: Readonly<Record<string, NodeJS.TypedArray>>,
  ): Promise<Competitor> {
    return inFolderOf(arrays, async (folder) => {
      const words = [folder, String(rows), String(width), String(Number(transposed))];
      const child = spawn(this.#program(flavour), words, { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const read = async (): Promise<string> => {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${flavour}: the program made by ${this.#compiler} ended before its time.`);
        return value as string;
      };
      const ask = (request: string): Promise<string> => {
        child.stdin.write(`${request}\n`);
        return read();
      };
      await read();
      let last = 0;
      const time = async (milliseconds: number): Promise<{ median: number; min: number }> => {
        const [median, min, checksum] = (await ask(`time ${milliseconds}`)).split(' ').map(Number);
        last = checksum;
        return { median, min };
      };
      return {
        name: flavour,
        answer: () =>
          withFolder(async (own) => {
            await ask(`answer ${join(own, 'result')}`);
            return new Float32Array(new Uint8Array(readFileSync(join(own, 'result'))).buffer);
          }),
        async time(milliseconds, warmUp) {
          if (warmUp) await time(milliseconds);
          return time(milliseconds);
        },
        checksum: () => last,
        close: () => void child.stdin.end(),
      };
    });
  }

  #program(flavour: Flavour): string {
    return join(this.#folder, `csr-${cFlavours.indexOf(flavour)}`);
  }
}
