/** Where on an axis does a value stand, and which values are written beside it? */

import type { Axis } from './figure.ts';

export interface Scale {
  /** From 0 to 1; NaN for what the axis cannot show. */
  at(value: number): number;
  readonly ticks: readonly number[];
  /** The range in sight, as values. */
  readonly from: number;
  readonly to: number;
}

/** Holds all values that the axis can show. */
export function scaleOf({ scale = 'linear', include = [] }: Axis, values: readonly number[]): Scale {
  const shown = [...values, ...include].filter((value) => Number.isFinite(value) && (scale === 'linear' || value > 0));
  const least = shown.reduce((best, value) => Math.min(best, value), Infinity);
  const most = shown.reduce((best, value) => Math.max(best, value), -Infinity);
  if (shown.length === 0) return (scale === 'log' ? logScale : linearScale)(1, 10);
  return (scale === 'log' ? logScale : linearScale)(least, most);
}

function linearScale(least: number, most: number): Scale {
  const [low, high] = least === most ? [least - 0.5, most + 0.5] : [least, most];
  const ticks = linearTicks(low, high);
  const margin = 0.03 * (high - low);
  const [from, to] = [low - margin, high + margin];
  return { at: (value) => (value - from) / (to - from), ticks, from, to };
}

/** About five round numbers, and three at least. */
function linearTicks(low: number, high: number): number[] {
  const few = multiples(niceStep((high - low) / 5), low, high);
  return few.length < 3 ? multiples(niceStep((high - low) / 10), low, high) : few;
}

function multiples(step: number, low: number, high: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function logScale(least: number, most: number): Scale {
  const [a, b] = [Math.log10(least), Math.log10(most)];
  const margin = Math.max(0.04 * (b - a), 0.04);
  const [from, to] = [a - margin, b + margin];
  // Powers of ten, or as many between them as it takes for a factor to be read off.
  const choices = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5, 7]].map((digits) => logTicks(from, to, digits));
  const ticks = choices.find(({ length }) => length >= 4) ?? choices[3];
  return {
    at: (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : NaN),
    // Where the range is narrow, round numbers are not round powers.
    ticks: ticks.length > 2 ? ticks : linearTicks(10 ** from, 10 ** to),
    from: 10 ** from,
    to: 10 ** to,
  };
}

function logTicks(from: number, to: number, digits: readonly number[]): number[] {
  const every = Math.ceil((to - from) / 8);
  const powers = Array.from({ length: Math.ceil(to) - Math.floor(from) + 1 }, (_, i) => Math.floor(from) + i);
  return powers
    .filter((power) => power % every === 0)
    .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
    .filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to);
}

/** 1, 2 or 5 times a power of ten, at least as large as asked. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= least * 0.999)!;
}

/** What is written at the ticks of one axis: all thousands in one way. */
export function tickTexts(ticks: readonly number[]): string[] {
  const millions = ticks.some((tick) => Math.abs(tick) >= 1e6);
  return ticks.map((tick) => tickText(tick, millions ? 1e4 : 1e6));
}

/** As short as a tick can be: 0.25, 20, 1e-6, 10k; with a power of ten from `powers` on. */
function tickText(value: number, powers: number): string {
  const magnitude = Math.abs(value);
  if (value !== 0 && (magnitude < 1e-3 || magnitude >= powers)) {
    const [digits, power] = value.toExponential().split('e');
    return `${Number(Number(digits).toPrecision(3))}e${Number(power)}`;
  }
  return magnitude >= 1e4 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}
