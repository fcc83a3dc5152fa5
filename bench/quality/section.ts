/** What is a table of the quality of learning? What was measured, as figures and as text. */

import { formatTable } from '../../lib/charts/table.ts';

export interface Section {
  readonly title: string;
  readonly settings: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** In full, for programs. */
  readonly figures: unknown;
}

/** The figures of a section on how good a method is after how long. */
export interface TimeFigures {
  /** Methods that come to their end at once; the last one is the direct eigensolver. `gap`: less is better. */
  readonly lines: readonly { readonly name: string; readonly seconds: number; readonly gap: number }[];
  /** The paper's method on its way. */
  readonly trace: readonly { readonly seconds: number; readonly gap: number }[];
}

export interface QualityOptions {
  readonly seeds: number;
  say(text: string): void;
}

export function showSection({ title, settings, header, rows, notes }: Section): string {
  return [title, settings, '', formatTable(header, rows, 1), ...notes].join('\n');
}

/** Of this process, in seconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** What comes out, and the processor time it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = processorTime();
  const result = await work();
  return { result, seconds: processorTime() - start };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function show(value: number, digits = 3): string {
  return value.toFixed(digits);
}
