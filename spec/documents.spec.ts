/** The examples in the documents run and print what the documents say. */

import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('documents');

const documents = [
  'README.md',
  ...['docs', 'docs/guide'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Each ```ts block is a separate program. A comment after console.log states what it prints. */
function examples(text: string): { code: string; printed: string[] }[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => ({
    code,
    printed: [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, expected]) => expected),
  }));
}

for (const document of documents) {
  for (const [i, { code, printed }] of examples(readFileSync(document, 'utf8')).entries()) {
    test(`${document}, example ${i + 1}`, () => {
      // Inside the project, so that 'specnet' resolves as it does for a user.
      const folder = mkdtempSync('spec/example-');
      try {
        writeFileSync(`${folder}/example.js`, transformSync(code, { loader: 'ts' }).code);
        const { stdout, stderr, status } = spawnSync(process.execPath, [`${folder}/example.js`], {
          encoding: 'utf8',
          env: { ...process.env, NODE_V8_COVERAGE: '', FORCE_COLOR: '0' },
        });
        assert.is(status, 0, stderr);
        assert.equal(stdout.trim().split('\n'), printed.length > 0 ? printed : ['']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
}

test('no example is of a kind that is not run', () => {
  for (const document of documents) {
    const kinds = [...readFileSync(document, 'utf8').matchAll(/^```(\w+)$/gm)].map(([, kind]) => kind);
    const unknown = kinds.filter((kind) => !['ts', 'console', 'sh'].includes(kind));
    assert.equal(unknown, [], document);
  }
});

test('the guide installs what npm pack makes, and that can be imported elsewhere', () => {
  const folder = mkdtempSync(`${tmpdir()}/specnet-`);
  try {
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const packed = spawnSync('npm', words, { encoding: 'utf8', shell: process.platform === 'win32' });
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    assert.match(readFileSync('docs/guide/start.md', 'utf8'), `npm install ../specnet/${filename}`);
    mkdirSync(`${folder}/node_modules`);
    spawnSync('tar', ['-xf', filename], { cwd: folder });
    renameSync(`${folder}/package`, `${folder}/node_modules/specnet`);
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    // The packages listed by name are dependencies of the dependencies.
    const beside = [...Object.keys(dependencies), 'iota-array', 'is-buffer', 'is-any-array', 'ml-array-rescale'];
    for (const name of [...beside, 'ml-array-max', 'ml-array-min']) {
      symlinkSync(resolve('node_modules', name), `${folder}/node_modules/${name}`, 'junction');
    }
    writeFileSync(`${folder}/try.mjs`, "import { tensor } from 'specnet'; import 'specnet/datasets'; console.log(tensor([[1, 2]]).shape);"); // prettier-ignore
    const env = { ...process.env, NODE_V8_COVERAGE: '', FORCE_COLOR: '0' };
    const { stdout, stderr } = spawnSync(process.execPath, ['try.mjs'], { cwd: folder, encoding: 'utf8', env });
    assert.is(stdout.trim(), '[ 1, 2 ]', stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the README shows the two commands, and an example of at most ten statements', () => {
  const readme = readFileSync('README.md', 'utf8');
  assert.match(readme, /npm ci && npm start/);
  assert.match(readme, /npm cit/);
  const [first] = examples(readme);
  assert.ok(first.code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//')).length <= 10);
});

test('links lead to files that are there', () => {
  for (const document of [...documents, 'CONTRIBUTING.md']) {
    const base = document.slice(0, document.lastIndexOf('/') + 1);
    for (const [, target] of readFileSync(document, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)) {
      assert.ok(readFileSync(base + target), `${document}: ${target}`);
    }
  }
});

test.run();
