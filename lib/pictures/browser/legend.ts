/** The legend: buttons that show and hide groups, or the bar of a color scale. */

import { rampAt, sequential, type Theme } from '../../charts/sequential.ts';
import { type Group, scaleLabels, type Shading } from '../shared/coloring.ts';
import { outlineOf } from '../shared/mark.ts';
import { element, query, shape } from './element.ts';
import type { Scene } from './scene.ts';

/** Fills the legend. `onToggle` is called after groups were shown or hidden. */
export function drawLegend(scene: Scene, theme: Theme, onToggle: () => void): void {
  const legend = query('#legend');
  const { coloring } = scene;
  if (coloring.kind === 'scale') return legend.replaceChildren(...drawBar(coloring, theme));
  const buttons = coloring.groups.map((group, index) => groupButton(group, index));
  const refresh = (): void => {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute('aria-pressed', String(!scene.hidden.has(index)));
    }
    onToggle();
  };
  for (const [index, button] of buttons.entries()) {
    button.addEventListener('click', (event) => {
      if (event.shiftKey) isolate(scene, index, buttons.length);
      else if (!scene.hidden.delete(index)) scene.hidden.add(index);
      refresh();
    });
  }
  const list = element('ul');
  for (const button of buttons) {
    const item = element('li');
    item.append(button);
    list.append(item);
  }
  const all = element('button', 'Show all', 'quiet');
  all.addEventListener('click', () => {
    scene.hidden.clear();
    refresh();
  });
  const none = element('button', 'Hide all', 'quiet');
  none.addEventListener('click', () => {
    for (const index of buttons.keys()) scene.hidden.add(index);
    refresh();
  });
  const actions = element('p', '', 'actions');
  actions.append(all, none, element('span', 'Shift + click shows one alone.', 'hint'));
  legend.replaceChildren(list, ...(buttons.length > 1 ? [actions] : []));
}

/** Shows one group alone, or all if it is alone already. */
function isolate(scene: Scene, index: number, count: number): void {
  const isAlone = !scene.hidden.has(index) && scene.hidden.size === count - 1;
  scene.hidden.clear();
  if (isAlone) return;
  for (let other = 0; other < count; other++) if (other !== index) scene.hidden.add(other);
}

function groupButton({ name, count, color, shape: mark }: Group, index: number): HTMLElement {
  const button = element('button', '', 'group');
  button.dataset.group = String(index);
  button.setAttribute('aria-pressed', 'true');
  button.title = name;
  const symbol = shape('svg', { viewBox: '-7 -7 14 14', width: '14', height: '14', 'aria-hidden': 'true' }, [
    shape('path', { d: `M0 0${outlineOf(mark, 10)}`, fill: `var(--${color})` }),
  ]);
  button.append(symbol, element('span', name, 'label'), element('span', count.toLocaleString('en'), 'count'));
  return button;
}

/** A bar with the numbers at its ends and in the middle. */
function drawBar(shading: Shading, theme: Theme): HTMLElement[] {
  const { hasLower, hasHigher, missing } = shading;
  const bar = element('div', '', 'bar');
  const stops = Array.from({ length: 13 }, (_, i) => `rgb(${rampAt(sequential[theme], i / 12).join(' ')})`);
  bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  const row = element('div', '', 'ends');
  row.append(...scaleLabels(shading).map((label) => element('span', label)));
  const parts = [bar, row];
  if (missing > 0)
    parts.push(element('p', `${missing.toLocaleString('en')} points have no value. They are pale.`, 'hint'));
  if (hasLower || hasHigher) {
    parts.push(
      element('p', 'The scale leaves out the outermost percent of the values. They have the color of its end.', 'hint'),
    );
  }
  return parts;
}
