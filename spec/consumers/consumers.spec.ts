/** The packed package compiles, runs and bundles for its users, without types or tools of this repository. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSurface } from '../surface.ts';
import { addPrograms, compilations, compile, makeFolder, pack, removeFolder, run, unpack } from './project.ts';

const test = suite('consumers');

const folder = makeFolder();

test.before(() => {
  unpack(folder, pack(folder));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  addPrograms(folder);
});

test.after(() => removeFolder(folder));

for (const kind of Object.keys(compilations) as (keyof typeof compilations)[]) {
  test(`strict TypeScript with moduleResolution ${kind} compiles, and finds mistakes`, () => {
    assert.is(compile(folder, resolve('node_modules/typescript/bin/tsc'), kind), '');
  });
}

test('the compiled programs import every public module', async () => {
  const text = readFileSync('spec/consumers/typescript/doors.ts', 'utf8');
  const imported = [...text.matchAll(/ from '(specnet[^']*)'/g)].map(([, name]) => name);
  assert.equal(imported.toSorted(), (await openSurface()).map(({ name }) => name).toSorted());
});

for (const [name, options] of Object.entries({
  'as it is': { bundle: false },
  bundled: { bundle: true },
  // A module that only acts when it is imported would be missing from the bundle above.
  'bundled as if modules had side effects': { bundle: true, ignoreAnnotations: true },
})) {
  test(`a program runs on it in Node, ${name}`, async () => {
    const outfile = join(folder, 'compiled.js');
    const entryPoints = [join(folder, 'accepted.ts')];
    await build({ format: 'esm', platform: 'node', logLevel: 'silent', entryPoints, outfile, ...options });
    assert.is(run(process.execPath, [outfile], folder), 'number true 2 1×2 function\n');
  });
}

test('a CommonJS program requires it where Node can require ES modules, and gets the one copy of each module', async () => {
  const output = run(process.execPath, ['required.cjs'], folder);
  if ((process.features as { require_module?: boolean }).require_module) {
    assert.is(output, `60×2, ${(await openSurface()).length} modules\n`);
  } else {
    assert.match(output, 'ERR_REQUIRE_ESM');
  }
});

test('a CommonJS program imports it in every Node', () => {
  assert.is(run(process.execPath, ['imported.cjs'], folder), '60×2\n');
});

test('the command runs from the package, and says its version', () => {
  const main = join(folder, 'node_modules/specnet/dist/lib/cli/main.js');
  assert.match(run(process.execPath, [main, '--version'], folder), /^\d+\.\d+\.\d+\n$/);
});

test.run();
