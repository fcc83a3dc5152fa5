/** The examples in the documents run and print what the documents say. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
          env: { ...process.env, NODE_V8_COVERAGE: '' },
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
