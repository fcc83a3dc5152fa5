/** A section of the quality bench: a table, as figures and as text. */

import { formatTable } from '../../lib/charts/table.ts';

export interface Section {
  readonly title: string;
  readonly settings: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** All figures, for programs. */
  readonly figures: unknown;
}

/** The figures of a time-to-quality section. */
export interface TimeFigures {
  /** Methods with a single result. The last one is the direct eigensolver. `gap`: less is better. */
  readonly lines: readonly { readonly name: string; readonly seconds: number; readonly gap: number }[];
  /** The paper's method during its training. */
  readonly trace: readonly { readonly seconds: number; readonly gap: number }[];
}

export interface QualityOptions {
  readonly seeds: number;
  say(text: string): void;
}

export function showSection({ title, settings, header, rows, notes }: Section): string {
  return [title, settings, '', formatTable(header, rows, 1), ...notes].join('\n');
}

/** Processor time of this process, in seconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The result, and the processor time that it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = processorTime();
  const result = await work();
  return { result, seconds: processorTime() - start };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function show(value: number, digits = 3): string {
  return value.toFixed(digits);
}
