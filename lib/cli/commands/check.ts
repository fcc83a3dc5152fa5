/** The command `check`: compares the SIMD kernels with the plain ones and prints their speed. */

import type { Command } from '../shared/command.ts';
import { type CheckReport, checkKernels } from '../../wasm/kernel-check.ts';
import { formatMilliseconds, formatNumber, formatRatio, formatTable } from '../../charts/table.ts';

export const check: Command = {
  summary: 'test the kernels on this machine and measure their speed',
  operands: [],
  flags: ['threads', 'no-simd', 'json', 'quiet', 'help'],
  details: ['JSON: simd, kernels, agree'],
  examples: [
    ['specnet check', 'each SIMD kernel next to its plain version'],
    ['specnet check --no-simd --json', 'only the plain kernels, as JSON'],
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
    ? `SIMD kernels on, ${simd.bytes / 2 ** 30} GiB of ${simd.shared ? 'shared ' : ''}address space`
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
  const header = ['kernel', 'size', 'plain', simd.enabled ? 'SIMD' : 'in use', 'speedup', 'throughput', 'difference'];
  const verdict = agree
    ? `All ${kernels.length} kernels agree with their plain versions.`
    : 'Some kernels differ from their plain versions by more than rounding. Please report this machine.';
  return `${status}\n\n${formatTable(header, rows)}\n\n${verdict}\n`;
}
