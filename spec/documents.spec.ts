/** Do the examples in the documents run, and print what they say they print? */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
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

/** Each ```ts block is a program of its own; a comment after console.log holds what it prints. */
function examples(text: string): { code: string; printed: string[] }[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => ({
    code,
    printed: [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, expected]) => expected),
  }));
}

for (const document of documents) {
  for (const [i, { code, printed }] of examples(readFileSync(document, 'utf8')).entries()) {
    test(`${document}, example ${i + 1}`, () => {
      // Inside the project, so that 'specnet' is found as an importer would find it.
      const folder = mkdtempSync('spec/example-');
      try {
        writeFileSync(`${folder}/example.ts`, code);
        const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', `${folder}/example.ts`], {
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
