/** The script of the page: reads the data, connects the controls and draws. */

import { colorChoices } from '../shared/coloring.ts';
import { type PageData, unpackPicture } from '../shared/page-data.ts';
import { query } from './element.ts';
import { findRow } from './find.ts';
import { drawLegend } from './legend.ts';
import { Scene } from './scene.ts';
import { PlotArea } from './plot-area.ts';
import { connectTheme, shownTheme } from './theme.ts';
import { type Mode, View } from './view.ts';

const picture = unpackPicture(JSON.parse(query('#data').textContent!) as PageData);
const scene = new Scene(picture);
const [x, y] = picture.axes;
const view = new View(scene.columns, x === y ? [0, 1] : [x, y]);
const plotArea = new PlotArea(scene, view);

function refreshLegend(): void {
  drawLegend(scene, shownTheme(), () => plotArea.recolor());
}

function option(value: string, label: string, isSelected: boolean): HTMLOptionElement {
  return new Option(label, value, isSelected, isSelected);
}

function connectColors(): void {
  const select = query<HTMLSelectElement>('#color');
  const choices = colorChoices(picture);
  select.append(option('', 'nothing', picture.colorBy === null));
  // A field may be called anything, so choices are told apart by their place in the list.
  select.append(...choices.map((name, i) => option(String(i), name, name === picture.colorBy)));
  select.addEventListener('change', () => {
    scene.colorBy(select.value === '' ? null : choices[Number(select.value)]);
    refreshLegend();
    plotArea.recolor();
  });
}

function connectAxes(): void {
  for (const [axis, name] of ['x', 'y', 'z'].entries()) {
    const select = query<HTMLSelectElement>(`#axis-${name}`);
    select.append(...scene.names.map((label, k) => option(String(k), label, k === view.axes[axis])));
    select.addEventListener('change', () => {
      view.axes[axis] = Number(select.value);
      plotArea.redraw();
    });
  }
  const count = query<HTMLSelectElement>('#pair-count');
  const most = Math.min(8, scene.columns.length);
  for (let k = 2; k <= most; k++) count.append(option(String(k), `first ${k}`, k === view.pairCount));
  count.addEventListener('change', () => {
    view.pairCount = Number(count.value);
    plotArea.redraw();
  });
}

function showMode(mode: Mode): void {
  view.mode = mode;
  for (const [selector, modes] of [
    ['.for-plane', ['plane', 'space']],
    ['.for-space', ['space']],
    ['.for-pairs', ['pairs']],
  ] as const) {
    const isShown = (modes as readonly Mode[]).includes(mode);
    for (const one of document.querySelectorAll<HTMLElement>(selector)) one.hidden = !isShown;
  }
  query('#help').dataset.mode = mode;
  plotArea.redraw();
}

function connectModes(): void {
  const least: Record<Mode, number> = { plane: 1, pairs: 3, space: 3 };
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=mode]')) {
    const mode = input.value as Mode;
    input.closest('label')!.hidden = picture.coordinates.length < least[mode];
    input.addEventListener('change', () => showMode(mode));
    if (input.checked) showMode(mode); // a browser may keep the choice when the page is loaded again
  }
}

function connectSearch(): void {
  const input = query<HTMLInputElement>('#find');
  const answer = query('#found');
  let found = -1;
  const search = (from: number): void => {
    found = findRow(picture, input.value, from);
    answer.textContent = found < 0 && input.value.trim() !== '' ? 'not found' : '';
    if (found >= 0) plotArea.showRow(found);
  };
  input.addEventListener('input', () => search(0));
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') search(found + 1);
  });
}

connectColors();
connectAxes();
connectModes();
connectSearch();
query<HTMLInputElement>('#size').addEventListener('input', ({ target }) => {
  plotArea.pointSize = 2 ** Number((target as HTMLInputElement).value);
  plotArea.redraw();
});
query('#reset').addEventListener('click', () => plotArea.reset());
connectTheme(() => {
  refreshLegend();
  plotArea.recolor();
});
refreshLegend();
document.documentElement.dataset.ready = 'true';
