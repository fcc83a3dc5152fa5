/** The report of a run as text: a table for every group, and a table of the targets. */

import type { Pace } from '../measure.ts';
import { type Section, showSection } from '../quality/section.ts';
import { type GroupName, mebibytes, type Row, rowCells } from './row.ts';
import { formatMilliseconds, formatNumber, formatRatio, formatTable } from '../../lib/charts/table.ts';
import type { Verdict } from './targets.ts';

export interface Report {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    /** Versions of scipy and numpy, if they were used. */
    readonly scipy: string | null;
    /** The load averages over 1, 5 and 15 minutes before the run, and over the last minute of the run. */
    readonly load: readonly number[];
    readonly loadAtEnd: number;
  };
  /** Fewer points and shorter rounds than the targets assume. */
  readonly quick: boolean;
  readonly pace: Pace;
  readonly groups: Partial<Record<GroupName, GroupReport>>;
  /** Time-to-quality sections, if they were requested. */
  readonly quality: readonly Section[];
  readonly targets: readonly Verdict[];
  readonly notes: readonly string[];
  readonly checksum: number;
}

export interface GroupReport {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  /** Duration of the measurements. */
  readonly seconds: number;
}

/** This process itself causes a load of about 1. */
const busyFrom = 1.5;

export function asText({ machine, pace, groups, quality, targets, notes, checksum }: Report): string {
  const tables = Object.entries(groups).map(([name, { rows, notes: below }]) => {
    const { header, cells } = rowCells(rows);
    return [name, formatTable(header, cells), ...below].join('\n');
  });
  const judged = targets.length > 0 ? [`targets\n${formatTable(targetHeader, targetCells(targets))}`] : [];
  const all = [...tables, ...quality.map(showSection), ...judged, ...notes, ...noise(machine)];
  return [setting(machine, pace), ...all, `checksum ${checksum.toPrecision(6)}`].join('\n\n');
}

/** A note for the reader if the machine was not idle. */
export function noise({ loadAtEnd }: Report['machine']): string[] {
  if (loadAtEnd <= busyFrom) return [];
  return [`The machine was busy with other work (load ${loadAtEnd.toFixed(1)} at the end): mind the noise.`];
}

function setting({ cpu, cores, node, scipy, load }: Report['machine'], { rounds, milliseconds }: Pace): string {
  const loads = load.map((value) => value.toFixed(2)).join(' ');
  return [
    [`${cpu}, ${cores} cores`, `Node ${node}`, ...(scipy ? [scipy] : [])].join(', '),
    `load ${loads} at the start; ${rounds} rounds of ${milliseconds} ms`,
    '"vs X 3×": X takes 3 times as long as ours.',
  ].join('\n');
}

/** The targets: required value, measured value and verdict. */
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
