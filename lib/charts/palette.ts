/** The colors and fonts of charts, in light and dark mode. */

import type { Color } from './figure.ts';
import type { Theme } from './sequential.ts';

/**
 * The palette of Okabe and Ito, which is safe for the common kinds of color blindness, in tones for light and dark mode.
 * Gray and wine are added for a ninth and a tenth class, whose names are always written next to them. Pale is for points
 * without a class.
 */
const palette: Record<Exclude<Color, 'ink'>, readonly [light: string, dark: string]> = {
  orange: ['#e69f00', '#e69f00'],
  sky: ['#56b4e9', '#a5dcfa'],
  green: ['#009e73', '#00b98a'],
  blue: ['#0072b2', '#3b9ddb'],
  vermilion: ['#d55e00', '#e8732a'],
  purple: ['#cc79a7', '#d890b8'],
  yellow: ['#c9b800', '#f0e442'],
  gray: ['#8a8a8a', '#9a9a9a'],
  wine: ['#882255', '#c2558c'],
  pale: ['#b9c2cb', '#4d5661'],
};

/** A color ramp from blue over gray to orange, which does not depend on telling red from green. */
export const ramp: readonly (readonly [light: string, dark: string])[] = [
  ['#0072b2', '#3b9ddb'],
  ['#3d85b0', '#5ea6d6'],
  ['#6d97ac', '#86b0cc'],
  ['#98a3a3', '#aeb7b8'],
  ['#b5a483', '#c4b592'],
  ['#cba35d', '#d8b168'],
  ['#db9a33', '#e6aa42'],
  ['#e68a00', '#f2a11c'],
];

const surfaces = {
  light: '--ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --page: #ffffff; --card: #f6f8fa;',
  dark: '--ink: #e6edf3; --soft: #9aa4ae; --line: #3d444d; --page: #0d1117; --card: #151b23;',
};

/** The colors of a theme, as declarations of CSS variables. */
export function themeColors(theme: Theme): string {
  const tones = [...Object.entries(palette), ...ramp.map((pair, step) => [`ramp${step}`, pair] as const)];
  return [surfaces[theme], ...tones.map(([name, pair]) => `--${name}: ${pair[theme === 'dark' ? 1 : 0]};`)].join(' ');
}

const textStyle = `
  .chart text { fill: var(--soft); font: 12px system-ui, sans-serif; } .chart .title { fill: var(--ink); font-weight: 600; }
  .chart .grid { stroke: var(--line); } .chart .name { fill: var(--ink); font: 700 15px system-ui, sans-serif;
    stroke: var(--page); stroke-width: 3px; paint-order: stroke; }`;

/** The style sheet of charts in a fixed theme, or with 'auto' in that of the system. */
export function chartStyleFor(theme: Theme | 'auto'): string {
  if (theme !== 'auto') return `\n  :root { ${themeColors(theme)} }${textStyle}`;
  return `
  :root { ${themeColors('light')} }
  @media (prefers-color-scheme: dark) {
    :root { ${themeColors('dark')} }
  }${textStyle}`;
}

/** The style sheet of charts: once per page, or inside a standalone SVG file. */
export const chartStyle = chartStyleFor('auto');
