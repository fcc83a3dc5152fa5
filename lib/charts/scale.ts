/** Scales of axes: the position of a value, and the ticks with their labels. */

import type { Axis } from './figure.ts';

export interface Scale {
  /** The position of a value, from 0 to 1. NaN if the axis cannot show it. */
  at(value: number): number;
  readonly ticks: readonly number[];
  /** The range of the axis, as values. */
  readonly from: number;
  readonly to: number;
}

/** A scale whose range contains all values that the axis can show. */
export function scaleOf({ scale = 'linear', include = [] }: Axis, values: readonly number[]): Scale {
  const shown = [...values, ...include].filter((value) => Number.isFinite(value) && (scale === 'linear' || value > 0));
  const min = shown.reduce((best, value) => Math.min(best, value), Infinity);
  const max = shown.reduce((best, value) => Math.max(best, value), -Infinity);
  if (shown.length === 0) return (scale === 'log' ? logScale : linearScale)(1, 10);
  return (scale === 'log' ? logScale : linearScale)(min, max);
}

function linearScale(min: number, max: number): Scale {
  const [low, high] = min === max ? [min - 0.5, max + 0.5] : [min, max];
  const ticks = linearTicks(low, high);
  const margin = 0.03 * (high - low);
  const [from, to] = [low - margin, high + margin];
  return { at: (value) => (value - from) / (to - from), ticks, from, to };
}

/** About `count` round numbers, and at least three. Default of `count`: 5. */
export function linearTicks(low: number, high: number, count = 5): number[] {
  const ticks = multiples(niceStep((high - low) / count), low, high);
  return ticks.length < 3 ? multiples(niceStep((high - low) / (2 * count)), low, high) : ticks;
}

function multiples(step: number, low: number, high: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function logScale(min: number, max: number): Scale {
  const [a, b] = [Math.log10(min), Math.log10(max)];
  const margin = Math.max(0.04 * (b - a), 0.04);
  const [from, to] = [a - margin, b + margin];
  // Powers of ten. If there are fewer than four, multiples of them as well.
  const choices = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5, 7]].map((digits) => logTicks(from, to, digits));
  const ticks = choices.find(({ length }) => length >= 4) ?? choices[3];
  return {
    at: (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : NaN),
    // A narrow range gets equidistant round numbers.
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

/** The smallest of 1, 2 and 5 times a power of ten that is at least the argument. */
function niceStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= min * 0.999)!;
}

/** The labels of the ticks of one axis. Large numbers are all written with k, or all with a power of ten. */
export function tickLabels(ticks: readonly number[]): string[] {
  const millions = ticks.some((tick) => Math.abs(tick) >= 1e6);
  return ticks.map((tick) => tickLabel(tick, millions ? 1e4 : 1e6));
}

/** A short label: 0.25, 20, 1e-6, 10k. Numbers of at least `exponentFrom` are written with a power of ten. */
function tickLabel(value: number, exponentFrom: number): string {
  const magnitude = Math.abs(value);
  if (value !== 0 && (magnitude < 1e-3 || magnitude >= exponentFrom)) {
    const [digits, power] = value.toExponential().split('e');
    return `${Number(Number(digits).toPrecision(3))}e${Number(power)}`;
  }
  return magnitude >= 1e4 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}
