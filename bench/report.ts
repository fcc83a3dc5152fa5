/** How is a run shown to people? A table for every group, and one that says which targets were met. */

import type { Pace } from './measure.ts';
import { type GroupName, mebibytes, type Row, rowCells } from './row.ts';
import { formatMilliseconds, formatNumber, formatRatio, formatTable } from '../lib/cli/table.ts';
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
  const judged = targets.length > 0 ? [`targets\n${formatTable(targetHeader, targetCells(targets))}`] : [];
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

/** What was asked, what came, and whether that will do. */
export function targetCells(targets: readonly Verdict[]): string[][] {
  return targets.map((target) => {
    const { kernel, size, measured, verdict } = target;
    const show = 'rival' in target ? formatRatio : units[target.of];
    const wanted = 'atLeast' in target ? `at least ${show(target.atLeast)}` : `at most ${show(target.atMost)}`;
    const whose = 'rival' in target ? ` ${target.rival}` : target.of === 'peak' ? ' of peak' : '';
    return [`${kernel} ${size}`, wanted + whose, measured === null ? '–' : show(measured), verdict];
  });
}

export const targetHeader = ['kernel', 'target', 'measured', 'verdict'];

const units = {
  time: formatMilliseconds,
  bytes: mebibytes,
  peak: (percent: number) => `${formatNumber(percent)} %`,
};
