/** The theme, light or dark: as the system says unless the user chooses, and the colors that a canvas takes from it. */

import type { Theme } from '../../../lib/charts/sequential.ts';
import type { Settings } from '../settings.ts';
import type { Color } from './painter.ts';

const system = matchMedia('(prefers-color-scheme: dark)');

export function applyTheme(theme: Settings['theme']): void {
  const isDark = theme === 'dark' || (theme === 'system' && system.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

export function shownTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

export function onSystemTheme(listener: () => void): void {
  system.addEventListener('change', listener);
}

export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The same color for a painter, with the given opacity. */
export function colorOf(name: string, alpha: number): Color {
  const hex = cssColor(name);
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5), alpha];
}
