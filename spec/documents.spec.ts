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

/** What one process printed while it ran the programs one after the other; the error of a program that failed. */
type Runs = { readonly lines: readonly string[]; readonly error: string | null }[];

/** Imports the programs in their order. It prints what each has printed, and ends by itself unless a program leaves work behind. */
const driver = `import { writeSync } from 'node:fs';
import { format } from 'node:util';
const runs = [];
for (let i = 0; i < Number(process.argv[2]); i++) {
  const lines = [];
  console.log = (...values) => void lines.push(...format(...values).split('\\n'));
  const error = await import(\`./example-\${i}.js\`).then(() => null, (thrown) => String(thrown?.stack));
  runs.push({ lines, error });
}
process.once('exit', () => writeSync(1, JSON.stringify(runs)));`;

const programs = documents.flatMap((document) =>
  examples(readFileSync(document, 'utf8')).map(({ code, printed }, i) => ({
    name: `${document}, example ${i + 1}`,
    code,
    printed,
  })),
);

let runs: Runs = [];
test.before(() => {
  // Inside the project, so that 'specnet' resolves as it does for a user.
  const folder = mkdtempSync('spec/example-');
  try {
    for (const [i, { code }] of programs.entries()) {
      writeFileSync(`${folder}/example-${i}.js`, transformSync(code, { loader: 'ts' }).code);
    }
    writeFileSync(`${folder}/driver.js`, driver);
    const { stdout, stderr, status } = spawnSync(process.execPath, [`${folder}/driver.js`, String(programs.length)], {
      encoding: 'utf8',
      timeout: 300_000,
      env: { ...process.env, NODE_V8_COVERAGE: '' },
    });
    assert.is(status, 0, stderr);
    runs = JSON.parse(stdout) as Runs;
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const [i, { name, printed }] of programs.entries()) {
  test(name, () => {
    assert.is(runs[i].error, null, runs[i].error ?? '');
    assert.equal(runs[i].lines, printed);
  });
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
