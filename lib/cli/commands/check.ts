/** Do the kernels work here, in words? The command `check`. */

import type { Command } from '../shared/command.ts';
import { type CheckReport, checkKernels } from '../../wasm/kernel-check.ts';
import { formatMilliseconds, formatNumber, formatRatio, formatTable } from '../../charts/table.ts';

export const check: Command = {
  summary: 'try the kernels on this machine and show what they reach',
  operands: [],
  flags: ['threads', 'no-simd', 'json', 'quiet', 'help'],
  details: ['JSON: simd, kernels, agree'],
  examples: [
    ['specnet check', 'each SIMD kernel beside its plain twin'],
    ['specnet check --no-simd --json', 'the plain ones alone, for a program to read'],
  ],
  run({ flags, terminal, progress }) {
    const report = checkKernels(terminal.now, undefined, progress.percent('checking the kernels'));
    progress.clear();
    terminal.print(flags.json ? `${JSON.stringify(report)}\n` : describe(report));
    return report.agree ? 0 : 1;
  },
};

function describe({ simd, kernels, agree }: CheckReport): string {
  const status = simd.enabled
    ? `SIMD kernels on, ${simd.bytes / 2 ** 30} GiB of ${simd.shared ? 'shared ' : ''}addresses`
    : `SIMD kernels off: ${simd.reason}`;
  const rows = kernels.map((report) => [
    report.kernel,
    report.size,
    formatMilliseconds(report.plain),
    formatMilliseconds(report.simd),
    formatRatio(report.plain / report.simd),
    `${formatNumber(report.reaches)} ${report.unit}`,
    formatNumber(report.difference),
  ]);
  const header = ['kernel', 'size', 'plain', simd.enabled ? 'SIMD' : 'in use', 'faster', 'reaches', 'differs by'];
  const verdict = agree
    ? `All ${kernels.length} agree with their plain twins.`
    : 'Some differ from their plain twins by more than rounding: please report this machine.';
  return `${status}\n\n${formatTable(header, rows)}\n\n${verdict}\n`;
}
