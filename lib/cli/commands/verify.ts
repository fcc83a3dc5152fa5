/** Do the paper's statements hold, as printed or as corrected? The command `verify`. */

import { oneMoonDensity } from '../../../datasets/moon-density.ts';
import { oneMoon } from '../../../datasets/moons.ts';
import type { Law } from '../../theory/instances/instances.ts';
import type { SmallPencil } from '../../theory/instances/small-pencil.ts';
import type { Evidence } from '../../theory/instances/statement.ts';
import { type StatementName, statements } from '../../theory/statements.ts';
import { verify as collect } from '../../theory/verify.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Command, present } from '../shared/command.ts';
import { commonFlags, type Flags } from '../shared/flags.ts';
import { isGraphFile, openGraph } from '../shared/input.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const all = Object.keys(statements) as StatementName[];

export const verify: Command = {
  summary: "check the paper's statements numerically, all or some by name",
  operands: ['[NAME…]'],
  flags: ['instances', 'graph', 'replay', ...commonFlags.filter((flag) => flag !== 'out')],
  meanings: {
    graph: { help: 'your own graph, .mtx or .npz, in the place of random ones', value: 'FILE' },
    seed: { help: 'draw other instances; 0 unless said' },
  },
  details: [
    `Names: ${wrapped(all)}`,
    'Exit code 1 where a verdict is not the expected one, or no instance meets what a statement that you name assumes.',
    'JSON: an array of statement, label, claim, verdict (holds, corrected or fails), expected, instances, measured, bound,\n  slack, worst (seed and instance), quantities, notes, printed (what the paper has instead, and counterexamples)',
  ],
  examples: [
    ['specnet verify minimizers lipschitz --instances 100', 'two of them, on a hundred pencils each'],
    ['specnet verify hessian-spectrum --replay 42', 'one instance, with its matrices'],
    ['specnet verify deflation --graph graph.mtx --json', 'on your own graph, for a program to read'],
  ],
  async run(call) {
    const { flags, operands, terminal, progress } = call;
    const unknown = operands.find((name) => !all.includes(name as StatementName));
    if (unknown !== undefined) throw new UsageError(`there is no statement '${unknown}'; there is ${all.join(', ')}.`);
    checkFlags(flags, operands as StatementName[]);
    const path = flags.graph as string | undefined;
    const graph = path === undefined ? undefined : await ownGraph(path, call);
    const wanted =
      operands.length > 0 ? (operands as StatementName[]) : all.filter((name) => !graph || usesGraph(name));
    const { instances, seed, replay } = flags;
    const found: Evidence[] = [];
    for (const [i, name] of wanted.entries()) {
      const watch = (fraction: number): void =>
        progress.show(`${i + 1} of ${wanted.length}: ${name} … ${Math.round(100 * fraction)} %`);
      // oxlint-disable-next-line no-await-in-loop -- one statement after another, so that the line can name it
      found.push(...(await collect([name], { instances, seed, replay, graph, law: moon, progress: watch })));
    }
    progress.clear();
    const time = formatMilliseconds(1000 * call.seconds());
    const tail = replay === undefined ? '' : `\n\n${found.map(describeWorst).join('\n\n')}`;
    const table = found.length === 0 ? '' : `${describe(found, terminal.colored)}${tail}\n\n`;
    const without = wanted.filter((name) => !found.some(({ statement }) => statement === name));
    const missed = operands.length > 0 ? without : [];
    present(call, found.map(plain), () => `${table}${summary(found, missed)} ${time}.`);
    if (without.length > 0) {
      terminal.note(`specnet verify: no instance meets the assumptions of ${without.join(', ')}.\n`);
    }
    return found.every(isExpected) && found.length > 0 && missed.length === 0 ? 0 : 1;
  },
};

/** Flags that would do nothing are refused. */
function checkFlags({ replay, seed, instances, graph }: Flags, names: readonly StatementName[]): void {
  const idle = seed === undefined ? instances !== undefined && `--instances ${instances}` : `--seed ${seed}`;
  if (replay !== undefined && idle) {
    throw new UsageError(`expected --replay alone, it is the seed of the one instance, got ${idle} with it.`);
  }
  const stray = graph === undefined ? undefined : names.find((name) => !usesGraph(name));
  if (stray) throw new UsageError(`expected --graph with statements about pencils or graphs, got ${stray}.`);
}

/** The paper's one moon. */
const moon: Law = { points: (n, seed) => oneMoon({ n, seed }).points, density: oneMoonDensity() };

function usesGraph(name: StatementName): boolean {
  return statements[name].about !== 'laws';
}

async function ownGraph(path: string, call: Parameters<Command['run']>[0]) {
  if (!isGraphFile(path)) throw new UsageError(`expected --graph with a file .mtx, .mtx.gz or .npz, got '${path}'.`);
  const { graph: _path, ...flags } = call.flags;
  return (await openGraph(path, { ...call, flags })).graph;
}

function isExpected({ verdict, expected }: Evidence): boolean {
  return verdict === expected;
}

const colors = { good: '\u001b[32m', corrected: '\u001b[33m', bad: '\u001b[31m', none: '\u001b[0m' } as const;

function describe(found: readonly Evidence[], colored: boolean): string {
  const rows = found.map(({ statement, label, verdict, expected, instances, measured, bound, worst }) => [
    statement,
    verdict === expected ? verdict : `${verdict}, not ${expected}`,
    label,
    String(instances),
    formatNumber(measured),
    formatNumber(bound),
    String(worst.seed),
  ]);
  const header = ['statement', 'verdict', 'in the paper', 'instances', 'measured', 'bound', 'worst seed'];
  const table = formatTable(header, rows, 3);
  if (!colored) return table;
  const paint = (line: string, i: number): string => {
    const evidence = found[i - 2];
    if (!evidence) return line;
    const color = isExpected(evidence)
      ? evidence.verdict === 'corrected'
        ? colors.corrected
        : colors.good
      : colors.bad;
    return line.replace(` ${evidence.verdict}`, ` ${color}${evidence.verdict}${colors.none}`);
  };
  return table.split('\n').map(paint).join('\n');
}

/** Of what was found, and of the statements that were asked for and not found. */
function summary(found: readonly Evidence[], missed: readonly string[]): string {
  const wrong = found.filter((evidence) => !isExpected(evidence));
  const count = (verdict: string): number => found.filter((evidence) => evidence.verdict === verdict).length;
  if (found.length === 0) return 'Nothing was verified.';
  if (wrong.length > 0) return `Not as expected: ${wrong.map(({ statement }) => statement).join(', ')}.`;
  const others = missed.length === 0 ? 'All' : `Not verified: ${missed.join(', ')}. The others are`;
  return `${others} as expected: ${count('holds')} hold, ${count('corrected')} hold as corrected.`;
}

/** What was looked at, for who replays it. */
function describeWorst({ statement, claim, printed, worst, quantities, notes }: Evidence): string {
  const lines = [
    `${statement}: ${claim}`,
    ...(printed ? [`in the paper: ${printed.claim}`] : []),
    `instance ${worst.seed}: ${worst.instance}`,
    ...(worst.pencil ? [matrix(worst.pencil)] : []),
    ...quantities.map(
      ({ what, measured, bound }) => `  ${what}: ${formatNumber(measured)}, at most ${formatNumber(bound)}`,
    ),
    ...notes.map(({ what, largest }) => `  ${what}: ${formatNumber(largest)}`),
    ...(printed?.counterexamples.map(({ what, measured, bound, pencil }) => {
      return `counterexample, ${what}: ${formatNumber(measured)}, not ${formatNumber(bound)}\n${matrix(pencil)}`;
    }) ?? []),
  ];
  return lines.join('\n');
}

/** W row by row, and the diagonal of D. */
function matrix({ size, weights, mass }: SmallPencil): string {
  const rows = Array.from({ length: size }, (_, i) =>
    [...weights.subarray(i * size, (i + 1) * size)].map(formatNumber),
  );
  const width = Math.max(...rows.flat().map((cell) => cell.length));
  const lines = rows.map((row) => `  ${row.map((cell) => cell.padStart(width)).join(' ')}`);
  return [...lines, `  D ${[...mass].map(formatNumber).join(' ')}`].join('\n');
}

/** Typed arrays as lists, which JSON knows. */
function plain(evidence: Evidence): object {
  const { printed, worst } = evidence;
  const counterexamples = printed?.counterexamples.map(({ pencil, ...finding }) => ({
    ...finding,
    pencil: lists(pencil),
  }));
  return {
    ...evidence,
    worst: { ...worst, pencil: worst.pencil && lists(worst.pencil) },
    printed: printed && { ...printed, counterexamples },
  };
}

function lists({ size, weights, mass }: SmallPencil): object {
  return { size, weights: [...weights], mass: [...mass] };
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = [''];
  for (const name of names) {
    const last = lines.length - 1;
    if (lines[last].length + name.length > 100) lines.push(`  ${name}`);
    else lines[last] += lines[last] === '' ? name : ` ${name}`;
  }
  return lines.join('\n');
}
