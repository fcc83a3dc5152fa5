/** Names by which tasks are recognized: every function and method that returns a `Task` or a `WaitingTask` ends in `Steps`. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('names');

const folders = ['lib', 'datasets', 'bench', 'docs/demo', 'spec'];
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`),
);

/** The only other names: the combinators that make a task part of a larger one, and a promise part of a task. */
const combinators: ReadonlySet<string | null> = new Set(['subtask', 'awaited']);

/** The source before the parameters whose list ends with the parenthesis at `end`, without type parameters. */
function beforeParameters(source: string, end: number): string {
  let depth = 0;
  let at = end;
  do {
    depth += source[at] === ')' ? 1 : source[at] === '(' ? -1 : 0;
    at--;
  } while (depth > 0);
  return source.slice(0, at + 1).replace(/(?<=\w)<[^<>()]*>$/, '');
}

/**
 * The name of what is declared right before some parameters: of a function or method, of a variable that holds a function, of a
 * table or member of that type. Empty for a type, whose name is a noun, and for a function without a name.
 */
function declaredName(before: string): string | null {
  const patterns = [
    /\bfunction\*? (#?\w+)$/, // function* growSteps(
    /(?:^|[;{},]|\*\/)\s*(?:static )?\*?(#?\w+)\??$/, // *growSteps( in a class, an interface or an object
    /\b(?:const|let) (\w+)(?:: [^=;{}]+)? = (?:function\*? ?)?$/, // const growSteps = (
    /(\w+)\??: (?:Record<\w+, )?$/, // growSteps: ( in a list of parameters, an interface or a table
  ];
  const named = patterns.map((pattern) => pattern.exec(before)?.[1]).find((name) => name !== undefined);
  if (named !== undefined) return named;
  const isNameless = /\btype \w+(?:<[^>]*>)? = (?:\{[^}]*\]: )?$|\bas $|\bTask<$|[(,] ?(?:function\*? ?)?$/.test(
    before,
  );
  return isNameless ? '' : null;
}

/** The declared functions of a source that return tasks, by an annotation or as generators whose type the context gives. */
function taskNames(source: string): { name: string | null; line: number }[] {
  const heads = [...source.matchAll(/\)(?:: | => )(?:(?:Waiting)?Task<|Generator<number\b)/g)].map(
    ({ index }) => index,
  );
  const untyped = [...source.matchAll(/(?:^\s*|[{,] )\*#?\w+\([^()]*\) \{/gm)].map(
    ({ index, 0: head }) => index + head.length - 3,
  );
  return [...heads, ...untyped].map((index) => {
    const before = beforeParameters(source, index);
    return { name: declaredName(before), line: before.split('\n').length };
  });
}

/** Whether a line is within a table whose name ends in `Steps`. Its keys are values of an option. */
function isInTable(source: string, line: number): boolean {
  const above = source.split('\n').slice(0, line).join('\n');
  const declarations = [...above.matchAll(/^(?:export )?(const|function\*?|class) (\w+)/gm)];
  const [, kind, name] = declarations.at(-1) ?? [];
  return kind === 'const' && name.endsWith('Steps');
}

test('the reader of sources finds tasks in every form', () => {
  const named: Record<string, string | null> = {
    'export function* grow(points: Tensor): Task<Tree> {': 'grow',
    'function grow<T>(\n  take: (row: number) => void,\n): Task<T> {': 'grow',
    'class A {\n  *#grow(): Task<void> {': '#grow',
    'function* grow(): WaitingTask<Tree> {': 'grow',
    'interface A {\n  /** Grows. */\n  grow(seed: number): Task<void>;': 'grow',
    'const grow = (table: Tensor): Task<void> => other();': 'grow',
    'const grow = function* (what: string): Task<never> {': 'grow',
    'function f(\n  grow: (group: Group) => Task<Rows>,\n)': 'grow',
    'const grow: Record<Kind, (problem: Problem) => Task<Pairs>> = {': 'grow',
    'function* grow(): Generator<number, void, void> {': 'grow',
    'run({\n  *prepare(epoch, done) {': 'prepare',
    'const only = { *prepare() {}, finish() {} };': 'prepare',
    'export type Grower = (b: Block, x: Block) => Task<void>;': '',
    'const steps = table[kind] as (source: Source) => Task<Weights>;': '',
  };
  for (const [source, name] of Object.entries(named)) assert.is(taskNames(source)[0]?.name, name, source);
});

test('every function that returns a task ends in Steps', () => {
  let count = 0;
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    if (file === 'spec/names.spec.ts') continue;
    for (const { name, line } of taskNames(source)) {
      count++;
      assert.is.not(name, null, `${file}:${line}: a form that this spec does not know`);
      const isNamed = name === '' || /(?:Steps|^steps)$/.test(name!);
      assert.ok(isNamed || combinators.has(name) || isInTable(source, line), `${file}:${line}: ${name}`);
    }
  }
  assert.ok(count > 200, `${count}`);
});

test.run();
