/** How is a run shown to people? A table for every group, and one that says which targets were met. */

import type { Pace } from './measure.ts';
import { type GroupName, mebibytes, type Row, rowCells } from './row.ts';
import { formatMilliseconds, formatRatio, formatTable } from '../lib/cli/table.ts';
import type { Verdict } from './targets.ts';

export interface Report {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    /** Versions of scipy and numpy, if they took part. */
    readonly scipy: string | null;
    /** How busy the machine was in the 1, 5 and 15 minutes before. */
    readonly load: readonly number[];
  };
  readonly pace: Pace;
  readonly groups: Partial<Record<GroupName, GroupReport>>;
  readonly targets: readonly Verdict[];
  readonly notes: readonly string[];
  readonly checksum: number;
}

export interface GroupReport {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

export function asText({ machine, pace, groups, targets, notes, checksum }: Report): string {
  const tables = Object.entries(groups).map(([name, { rows, notes: below }]) => {
    const { header, cells } = rowCells(rows);
    return [name, formatTable(header, cells), ...below].join('\n');
  });
  const judged = targets.length > 0 ? [targetTable(targets)] : [];
  return [setting(machine, pace), ...tables, ...judged, ...notes, `checksum ${checksum.toPrecision(6)}`].join('\n\n');
}

function setting({ cpu, cores, node, scipy, load }: Report['machine'], { rounds, milliseconds }: Pace): string {
  const loads = load.map((value) => value.toFixed(2)).join(' ');
  return [
    [`${cpu}, ${cores} cores`, `Node ${node}`, ...(scipy ? [scipy] : [])].join(', '),
    `load ${loads} at the start; ${rounds} rounds of ${milliseconds} ms`,
    '"vs X 3×": X takes 3 times as long as ours.',
  ].join('\n');
}

function targetTable(targets: readonly Verdict[]): string {
  const cells = targets.map((target) => {
    const { kernel, size, measured, verdict } = target;
    const show = 'rival' in target ? formatRatio : target.of === 'time' ? formatMilliseconds : mebibytes;
    const wanted = 'rival' in target ? `at least ${target.atLeast}× ${target.rival}` : `at most ${show(target.atMost)}`;
    return [`${kernel} ${size}`, wanted, measured === null ? '–' : show(measured), verdict];
  });
  return `targets\n${formatTable(['kernel', 'target', 'measured', 'verdict'], cells)}`;
}
