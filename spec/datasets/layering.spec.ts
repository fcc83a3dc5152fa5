/** The layering and the style of the data sets. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('datasets index');

const files = readdirSync('datasets').filter((file) => file.endsWith('.ts'));

test('data sets import only core, tensor, sparse and formats, no module of Node, and without cycles', () => {
  const imports = new Map(
    files.map((file) => {
      const source = readFileSync(`datasets/${file}`, 'utf8');
      return [file, [...source.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gms)].map((match) => match[1])];
    }),
  );
  for (const [file, targets] of imports) {
    for (const target of targets)
      assert.match(target, /^(\.\/|\.\.\/lib\/(core|tensor|sparse|formats)\/)/, `${file} imports ${target}`);
  }
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    imports.get(from)!.some((target) => {
      const next = target.startsWith('./') ? target.slice(2) : '';
      if (next === goal) return true;
      if (next === '' || seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  for (const file of files) assert.not(reaches(file, file), `${file} imports itself`);
});

test('every file begins with a statement of its content, and draws from the seed alone', () => {
  for (const file of files) {
    const source = readFileSync(`datasets/${file}`, 'utf8');
    assert.match(source, /^\/\*\* [^?\n]+\. \*\/\n/, file);
    assert.not.match(source, /Math\.random|Date\.now|new Date\(|^(?:export )?let /m, file);
  }
});

test.run();
