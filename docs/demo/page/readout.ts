/** The table of numbers: eigenvalues, errors, gap and steps, one column per method. */

import type { Frame, Scene } from '../protocol.ts';
import { element } from '../../../lib/pictures/browser/element.ts';

export function numbersTable(scene: Scene, frames: readonly (Frame | null)[]): HTMLTableElement {
  const table = document.createElement('table');
  const present = frames.flatMap((frame, lane) => (frame ? [{ frame, lane }] : []));
  const line = (name: string, cells: readonly string[], head = false): void => {
    const row = table.insertRow();
    for (const [i, text] of [name, ...cells].entries()) {
      const cell = element(head || i === 0 ? 'th' : 'td', text);
      if (head && i > 1) cell.className = present[i - 2].lane === 0 ? 'lane-a' : 'lane-b';
      row.append(cell);
    }
  };
  line('', ['exact', ...present.map(({ lane }) => (lane === 0 ? 'method' : 'rival'))], true);
  for (const [k, value] of scene.eigenvalues.entries()) {
    line(`λ${subscript(k + 2)}`, [value.toFixed(5), ...present.map(({ frame }) => frame.eigenvalues[k].toFixed(5))]);
  }
  for (const k of scene.eigenvalues.keys()) {
    line(`error of ψ${subscript(k + 2)}`, ['', ...present.map(({ frame }) => scientific(frame.errors[k]))]);
  }
  line('f₂ − f₂*', ['0', ...present.map(({ frame }) => scientific(frame.gap))]);
  line('steps', ['', ...present.map(({ frame }) => frame.steps.toLocaleString('en'))]);
  line('seconds', [scene.seconds.eigenvectors.toFixed(2), ...present.map(({ frame }) => frame.seconds.toFixed(2))]);
  return table;
}

function subscript(number: number): string {
  return [...String(number)].map((digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]).join('');
}

/** Three digits. Rounding errors around zero are shown as zero. */
export function scientific(value: number): string {
  if (Math.abs(value) < 1e-12) return '0';
  return Math.abs(value) >= 0.001 ? value.toPrecision(3) : value.toExponential(1).replaceAll('-', '−');
}
