/** The packed package compiles, runs and bundles for its users, without types or tools of this repository. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('consumers');

const folder = mkdtempSync(join(tmpdir(), 'specnet-consumer-'));
const modules = join(folder, 'node_modules');

test.before(() => {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { stdio: 'pipe' });
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'))!;
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  mkdirSync(modules);
  cpSync(join(folder, 'package'), join(modules, 'specnet'), { recursive: true });
  // Only what npm would install with it: no types of ndarray or Node.
  for (const name of ['ml-matrix', 'is-any-array', 'ml-array-max', 'ml-array-min', 'ml-array-rescale']) link(name);
  for (const name of ['ndarray', 'iota-array', 'is-buffer', 'seedrandom']) link(name);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  for (const file of ['accepted.ts', 'refused.ts', 'worker.ts']) {
    copyFileSync(`spec/consumers/typescript/${file}`, join(folder, file));
  }
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

function link(name: string): void {
  symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
}

for (const [module, moduleResolution] of [
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'bundler'],
]) {
  test(`strict TypeScript with moduleResolution ${moduleResolution} compiles, and finds mistakes`, () => {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = resolve('node_modules/.bin/tsc');
    let output = '';
    try {
      execFileSync(compiler, ['-p', folder], { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    assert.is(output, '');
  });
}

test('a program runs on it in Node, as it is and bundled', async () => {
  const entry = join(folder, 'accepted.ts');
  const shared = { format: 'esm', platform: 'node', logLevel: 'silent' } as const;
  for (const [name, bundle] of [
    ['plain.js', false],
    ['bundled.js', true],
  ] as const) {
    const outfile = join(folder, name);
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its form
    await build({ ...shared, entryPoints: [entry], bundle, outfile });
    const output = execFileSync('node', [outfile], { cwd: folder, encoding: 'utf8' });
    assert.is(output, 'number true 2 1×2 function\n', name);
  }
});

test('the command runs from the package, and says its version', () => {
  const output = execFileSync('node', [join(modules, 'specnet/dist/lib/cli/main.js'), '--version'], {
    encoding: 'utf8',
  });
  assert.match(output, /^\d+\.\d+\.\d+\n$/);
});

test.run();
