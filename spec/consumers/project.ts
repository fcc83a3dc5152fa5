/** The packed package, and the project of a user who installed it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const windows = process.platform === 'win32';

/** Child processes write no coverage: they run the build, which is not measured. */
export const environment = { ...process.env, NODE_V8_COVERAGE: '' };

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'specnet-consumer-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Packs the build as it is into the folder, and returns the path of the tarball. */
export function pack(folder: string): string {
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  execFileSync('npm', words, { stdio: 'pipe', env: environment, shell: windows });
  return join(
    folder,
    readdirSync(folder).find((file) => file.endsWith('.tgz'))!,
  );
}

/** Unpacks the tarball into node_modules of the folder and links the dependencies that npm would install, not their types. */
export function unpack(folder: string, tarball: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'specnet'), { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', join(modules, 'specnet'), '--strip-components=1']);
  const matrix = ['ml-matrix', 'is-any-array', 'ml-array-max', 'ml-array-min', 'ml-array-rescale'];
  for (const name of [...matrix, 'ndarray', 'iota-array', 'is-buffer', 'seedrandom']) {
    symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
  }
}

/** Copies the programs of users into the folder. */
export function addPrograms(folder: string): void {
  for (const kind of ['typescript', 'javascript']) {
    for (const file of readdirSync(`spec/consumers/${kind}`)) {
      copyFileSync(`spec/consumers/${kind}/${file}`, join(folder, file));
    }
  }
}

/** How a user compiles, and what: `module` decides how the compiler finds modules. */
export const compilations = {
  nodenext: { module: 'NodeNext', moduleResolution: 'NodeNext', include: ['*.ts', '*.cts'] },
  node16: { module: 'Node16', moduleResolution: 'Node16', include: ['*.ts', 'imported.cts'] },
  bundler: { module: 'ESNext', moduleResolution: 'bundler', include: ['*.ts'] },
} as const;

/** Compiles the programs under the strictest settings, and returns what the compiler says: nothing, if all is well. */
export function compile(folder: string, compiler: string, kind: keyof typeof compilations): string {
  const { include, ...modules } = compilations[kind];
  const compilerOptions = {
    ...modules,
    target: 'ES2022',
    lib: ['ES2023', 'DOM'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const project = join(folder, `tsconfig.${kind}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, include }));
  return run(process.execPath, [compiler, '-p', project], folder);
}

/** What a program prints, errors included. A program that fails prints at least its exit code. */
export function run(command: string, words: readonly string[], folder: string): string {
  const { status, error, stdout, stderr } = spawnSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    env: environment,
    timeout: 540_000,
  });
  const output = `${stdout ?? ''}${stderr ?? ''}`;
  return status === 0 ? output : `${output}${error?.message ?? `exit ${status}`}`;
}
