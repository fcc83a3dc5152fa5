/** The command `verify`: numerical tests of the paper's statements, as printed or as corrected. */

import { oneMoonDensity } from '../../../datasets/moon-density.ts';
import { oneMoon } from '../../../datasets/moons.ts';
import type { Law } from '../../theory/instances/instances.ts';
import type { SmallPencil } from '../../theory/instances/small-pencil.ts';
import type { Evidence } from '../../theory/instances/statement.ts';
import { type StatementName, statements } from '../../theory/statements.ts';
import { verify as collect } from '../../theory/verify.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Command, printReport } from '../shared/command.ts';
import { commonFlags, type Flags } from '../flags/flags.ts';
import { isSparseFile, openGraph } from '../shared/input.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const allNames = Object.keys(statements) as StatementName[];

export const verify: Command = {
  summary: "test the paper's statements numerically, all of them or by name",
  operands: ['[NAME…]'],
  flags: ['instances', 'graph', 'replay', ...commonFlags.filter((flag) => flag !== 'out')],
  overrides: {
    graph: { help: 'a graph file, .mtx or .npz, to use instead of random graphs', value: 'FILE' },
    seed: { help: 'seed of the random instances; default: 0' },
  },
  details: [
    `Names: ${wrapNames(allNames)}`,
    'Exit code 1 if a verdict is not the expected one, or if no instance meets the assumptions of a named statement.',
    'JSON: an array of statement, label, claim, verdict (holds, corrected or fails), expected, instances, measured, bound,\n  slack, worst (seed and instance), quantities, notes, printed (the claim in the paper, and counterexamples)',
  ],
  examples: [
    ['specnet verify minimizers lipschitz --instances 100', 'two statements, on 100 instances each'],
    ['specnet verify hessian-spectrum --replay 42', 'one instance, with its matrices'],
    ['specnet verify deflation --graph graph.mtx --json', 'on a given graph, as JSON'],
  ],
  async run(call) {
    const { flags, operands, terminal, progress } = call;
    const unknown = operands.find((name) => !allNames.includes(name as StatementName));
    if (unknown !== undefined)
      throw new UsageError(`unknown statement '${unknown}'. The statements are ${allNames.join(', ')}.`);
    checkFlags(flags, operands as StatementName[]);
    const path = flags.graph as string | undefined;
    const graph = path === undefined ? undefined : await readGraph(path, call);
    const names =
      operands.length > 0 ? (operands as StatementName[]) : allNames.filter((name) => !graph || usesGraph(name));
    const { instances, seed, replay } = flags;
    const found: Evidence[] = [];
    for (const [i, name] of names.entries()) {
      const showProgress = (fraction: number): void =>
        progress.show(`${i + 1} of ${names.length}: ${name} … ${Math.round(100 * fraction)} %`);
      // oxlint-disable-next-line no-await-in-loop -- one statement at a time, so that the progress line can name it
      found.push(...(await collect([name], { instances, seed, replay, graph, law: moon, progress: showProgress })));
    }
    progress.clear();
    const time = formatMilliseconds(1000 * call.seconds());
    const details = replay === undefined ? '' : `\n\n${found.map(describeWorst).join('\n\n')}`;
    const table = found.length === 0 ? '' : `${describe(found, terminal.colored)}${details}\n\n`;
    const untested = names.filter((name) => !found.some(({ statement }) => statement === name));
    const missing = operands.length > 0 ? untested : [];
    printReport(call, found.map(toJson), () => `${table}${summary(found, missing)} ${time}.`);
    if (untested.length > 0) {
      terminal.note(`specnet verify: no instance meets the assumptions of ${untested.join(', ')}.\n`);
    }
    return found.every(isExpected) && found.length > 0 && missing.length === 0 ? 0 : 1;
  },
};

/** Rejects flags that have no effect. */
function checkFlags({ replay, seed, instances, graph }: Flags, names: readonly StatementName[]): void {
  const unused = seed === undefined ? instances !== undefined && `--instances ${instances}` : `--seed ${seed}`;
  if (replay !== undefined && unused) {
    throw new UsageError(`expected --replay alone, because it fixes the instance, got ${unused} with it.`);
  }
  const unsupported = graph === undefined ? undefined : names.find((name) => !usesGraph(name));
  if (unsupported)
    throw new UsageError(`expected --graph with statements about pencils or graphs, got ${unsupported}.`);
}

/** The one-moon distribution of the paper. */
const moon: Law = { points: (n, seed) => oneMoon({ n, seed }).points, density: oneMoonDensity() };

function usesGraph(name: StatementName): boolean {
  return statements[name].about !== 'laws';
}

async function readGraph(path: string, call: Parameters<Command['run']>[0]) {
  if (!isSparseFile(path)) throw new UsageError(`expected --graph with a .mtx, .mtx.gz or .npz file, got '${path}'.`);
  const { graph: _path, ...flags } = call.flags;
  return (await openGraph(path, { ...call, flags })).graph;
}

function isExpected({ verdict, expected }: Evidence): boolean {
  return verdict === expected;
}

const colors = { good: '\u001b[32m', corrected: '\u001b[33m', bad: '\u001b[31m', reset: '\u001b[0m' } as const;

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
    return line.replace(` ${evidence.verdict}`, ` ${color}${evidence.verdict}${colors.reset}`);
  };
  return table.split('\n').map(paint).join('\n');
}

/** One sentence about the verdicts, and the named statements that no instance tested. */
function summary(found: readonly Evidence[], missing: readonly string[]): string {
  const wrong = found.filter((evidence) => !isExpected(evidence));
  const count = (verdict: string): number => found.filter((evidence) => evidence.verdict === verdict).length;
  if (found.length === 0) return 'No statement was tested.';
  if (wrong.length > 0) return `Not as expected: ${wrong.map(({ statement }) => statement).join(', ')}.`;
  const others = missing.length === 0 ? 'All' : `Not tested: ${missing.join(', ')}. The others are`;
  return `${others} as expected: ${count('holds')} hold, ${count('corrected')} hold as corrected.`;
}

/** The worst instance of a statement with all measured quantities, for --replay. */
function describeWorst({ statement, claim, printed, worst, quantities, notes }: Evidence): string {
  const lines = [
    `${statement}: ${claim}`,
    ...(printed ? [`in the paper: ${printed.claim}`] : []),
    `instance ${worst.seed}: ${worst.instance}`,
    ...(worst.pencil ? [formatPencil(worst.pencil)] : []),
    ...quantities.map(
      ({ what, measured, bound }) => `  ${what}: ${formatNumber(measured)}, at most ${formatNumber(bound)}`,
    ),
    ...notes.map(({ what, largest }) => `  ${what}: ${formatNumber(largest)}`),
    ...(printed?.counterexamples.map(({ what, measured, bound, pencil }) => {
      return `counterexample, ${what}: ${formatNumber(measured)}, not ${formatNumber(bound)}\n${formatPencil(pencil)}`;
    }) ?? []),
  ];
  return lines.join('\n');
}

/** The rows of W, and the diagonal of D. */
function formatPencil({ size, weights, mass }: SmallPencil): string {
  const rows = Array.from({ length: size }, (_, i) =>
    [...weights.subarray(i * size, (i + 1) * size)].map(formatNumber),
  );
  const width = Math.max(...rows.flat().map((cell) => cell.length));
  const lines = rows.map((row) => `  ${row.map((cell) => cell.padStart(width)).join(' ')}`);
  return [...lines, `  D ${[...mass].map(formatNumber).join(' ')}`].join('\n');
}

/** The evidence with typed arrays as plain arrays, for JSON. */
function toJson(evidence: Evidence): object {
  const { printed, worst } = evidence;
  const counterexamples = printed?.counterexamples.map(({ pencil, ...finding }) => ({
    ...finding,
    pencil: pencilToJson(pencil),
  }));
  return {
    ...evidence,
    worst: { ...worst, pencil: worst.pencil && pencilToJson(worst.pencil) },
    printed: printed && { ...printed, counterexamples },
  };
}

function pencilToJson({ size, weights, mass }: SmallPencil): object {
  return { size, weights: [...weights], mass: [...mass] };
}

function wrapNames(names: readonly string[]): string {
  const lines: string[] = [''];
  for (const name of names) {
    const last = lines.length - 1;
    if (lines[last].length + name.length > 100) lines.push(`  ${name}`);
    else lines[last] += lines[last] === '' ? name : ` ${name}`;
  }
  return lines.join('\n');
}
