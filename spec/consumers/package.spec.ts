/** The package keeps what its manifest promises: no scripts at installation, no side effects, clean exports, a command that runs. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installOnce } from '../../bench/competitors/install.ts';
import { openSurface } from '../surface.ts';
import { environment, makeFolder, pack, removeFolder, run } from './project.ts';

const test = suite('package');

interface Manifest {
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly bin: Record<string, string>;
}

interface Lock {
  readonly packages: Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const manifest = read<Manifest>('package.json');
const surface = await openSurface();
const folder = makeFolder();
const tarball = pack(folder);

test.after(() => removeFolder(folder));

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: resolve('.') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: Object.keys(manifest.dependencies!),
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}

test('no script runs when a user installs the package or its dependencies', () => {
  // npm runs `prepare` in a clone and for a dependency on a git repository, not for a tarball or a package of a registry.
  for (const name of ['preinstall', 'install', 'postinstall', 'preprepare', 'postprepare', 'prepublish']) {
    assert.not.ok(name in manifest.scripts!, name);
  }
  assert.not.ok(readdirSync('.').includes('binding.gyp'), 'npm compiles it at installation');
  const installed = Object.entries(read<Lock>('package-lock.json').packages).filter(([, { dev }]) => !dev);
  assert.ok(installed.length > Object.keys(manifest.dependencies!).length);
  assert.equal(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path), []); // oxfmt-ignore
});

test('the manifest names no public place, because there is none yet', () => {
  for (const name of ['repository', 'homepage', 'bugs', 'funding', 'author', 'publishConfig']) {
    assert.not.ok(name in manifest, name);
  }
});

const toolFolders = [
  '.',
  'bench/peers',
  ...readdirSync('spec/checks/packages').map((name) => `spec/checks/packages/${name}`),
];

test('no lock file names a registry', () => {
  const locks = toolFolders.map((path) => `${path}/package-lock.json`).filter((path) => existsSync(path));
  assert.ok(locks.length > 3);
  for (const path of locks) assert.not.match(readFileSync(path, 'utf8'), /"resolved": "http/, path);
});

test('tools that are installed without a lock file have exact versions', () => {
  const unlocked = toolFolders.filter((path) => !existsSync(`${path}/package-lock.json`));
  assert.equal(unlocked, ['spec/checks/packages/consumers']);
  const { dependencies, optionalDependencies } = read<Manifest>(`${unlocked[0]}/package.json`);
  const versions = Object.entries({ ...dependencies, ...optionalDependencies });
  for (const [name, version] of versions) assert.match(version, /^(npm:[\w-]+@)?\d+\.\d+\.\d+$/, name);
});

test('the command can be run after a build, without naming Node', () => {
  if (process.platform === 'win32') return;
  assert.match(run(resolve(manifest.bin.specnet), ['--version'], '.'), /^\d+\.\d+\.\d+\n$/);
});

test('importing a module for its side effects adds nothing to a bundle', async () => {
  for (const { name } of surface) assert.is(await bundle(`import '${name}';`), '', name);
});

test('a bundle with one name of a module is smaller than the module', async () => {
  for (const { name, module } of surface.filter((one) => Object.keys(one.module).length > 1)) {
    const whole = (await bundle(`export * from '${name}';`)).length;
    const [first] = Object.keys(module).toSorted();
    const part = (await bundle(`export { ${first} } from '${name}';`)).length;
    assert.ok(part > 0 && part < whole, `${name}: ${first} weighs ${part} of ${whole} bytes`);
  }
});

test('importing all modules changes nothing else in the process', () => {
  const program = `
    const state = () => JSON.stringify([
      Reflect.ownKeys(globalThis).map(String),
      [Array, Object, Function, Promise, Float32Array].map(({ prototype }) => Reflect.ownKeys(prototype).map(String)),
      process.eventNames().map(String),
      process.getActiveResourcesInfo().filter((name) => !/FSReq|CloseReq/.test(name)),
    ]);
    const before = state();
    for (const name of ${JSON.stringify(surface.map(({ name }) => name))}) await import(name);
    const after = state();
    console.log(before === after ? 'the same' : before + ' became ' + after);`;
  const words = ['--input-type=module', '-e', program];
  const output = execFileSync(process.execPath, words, { encoding: 'utf8', env: environment });
  assert.is(output, 'the same\n');
});

test('the guide and the README install the tarball that npm pack writes', () => {
  for (const document of ['docs/guide/start.md', 'README.md']) {
    assert.match(readFileSync(document, 'utf8'), `npm install ../specnet/${basename(tarball)}\n`);
  }
});

const linters = fileURLToPath(new URL('../checks/packages/publish/', import.meta.url));
const failure = installOnce(linters);
if (failure) console.log(`Skipped: publint and attw, for ${failure}`);
else {
  test('publint finds nothing to mend', () => {
    const output = run(join(linters, 'node_modules/.bin/publint'), ['run', tarball, '--strict'], folder);
    assert.match(output, /All good!\n$/);
  });

  test('attw finds no wrong types in a package of ES modules', () => {
    const words = [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', '--no-emoji'];
    const output = run(join(linters, 'node_modules/.bin/attw'), words, folder);
    for (const { name } of surface) assert.match(output, `"${name}"\n`);
    assert.not.match(output, /exit \d+$/);
  });
}

test.run();
