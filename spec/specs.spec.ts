/** Every spec file runs its suite. uvu silently skips a suite without `.run()`. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('specs');

const files = readdirSync('spec', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.spec.ts'));

test('every suite is started, and none of its tests is left out', () => {
  assert.ok(files.length > 20, `${files.length}`);
  for (const file of files) {
    const source = readFileSync(`spec/${file}`, 'utf8');
    const made = source.match(/\bsuite\(/g)?.length ?? 0;
    const started = source.match(/^\w+\.run\(\);$/gm)?.length ?? 0;
    assert.is(started, made, `spec/${file}: ${made} suites, ${started} started`);
    assert.not.match(source, /^\w+\.(?:skip|only)\(/m, `spec/${file}`);
  }
});

test.run();
