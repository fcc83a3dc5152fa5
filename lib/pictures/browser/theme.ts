/** The theme of the page: as the system says, or as the reader chooses. */

import type { Theme } from '../../charts/sequential.ts';
import { query } from './element.ts';

const choices = ['auto', 'light', 'dark'];
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

export function shownTheme(): Theme {
  const { theme } = root.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return system.matches ? 'dark' : 'light';
}

/** A color of the style sheet as red, green and blue, from 0 to 255. */
export function cssColor(name: string): [number, number, number] {
  const hex = getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const wide = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  return [1, 3, 5].map((at) => Number.parseInt(wide.slice(at, at + 2), 16)) as [number, number, number];
}

/** Connects the switch of the page. Calls `onChange` whenever another theme may be shown. */
export function connectTheme(onChange: () => void): void {
  const button = query<HTMLButtonElement>('#theme');
  const show = (): void => {
    button.textContent = `Theme: ${root.dataset.theme}`;
  };
  button.addEventListener('click', () => {
    root.dataset.theme = choices[(choices.indexOf(root.dataset.theme ?? 'auto') + 1) % choices.length];
    show();
    onChange();
  });
  system.addEventListener('change', onChange);
  show();
}
