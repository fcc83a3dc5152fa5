/** Keeps the settings and the form in sync. */

import {
  clusterCounts,
  isOnLandmarks,
  type Lane,
  limits,
  type MethodName,
  methodNames,
  type Settings,
  usualLanes,
} from '../settings.ts';
import { query } from '../../../lib/pictures/browser/element.ts';

export const methodTitles: Record<MethodName, string> = {
  regression: 'Regression on landmarks',
  ritz: 'Ritz head on landmarks',
  'specnet2-neighbor': 'SpecNet2, neighbor',
  'specnet2-corrected': 'SpecNet2, corrected moments',
  'specnet2-edges': 'SpecNet2, edges',
  'specnet2-full': 'SpecNet2, full',
  'specnet2-local': 'SpecNet2, local',
  'specnet1-neighbor': 'SpecNet1, neighbor',
  'specnet1-full': 'SpecNet1, full',
  'specnet1-local': 'SpecNet1, local',
};

/** Sliders are logarithmic: rates in steps of a tenth of a decade, batches in powers of two. */
const rateSteps = { perDecade: 8, least: -5, most: -1 };
const largestBatchPower = 11;

const form = query<HTMLFormElement>('#controls');
type Field = HTMLInputElement | HTMLSelectElement;
const field = (name: string): Field => form.elements.namedItem(name) as Field;

export function prepareControls(onChange: (settings: (before: Settings) => Settings) => void): void {
  const options = methodNames.map((name) => new Option(methodTitles[name], name));
  (field('method') as HTMLSelectElement).append(...options.map((option) => option.cloneNode(true)));
  (field('method2') as HTMLSelectElement).append(new Option('none', 'none'), ...options);
  const counts = clusterCounts.map((count) => new Option(count === 'auto' ? 'chosen automatically' : count, count));
  (field('clusters') as HTMLSelectElement).append(...counts);
  for (const suffix of ['', '2']) {
    const { perDecade, least, most } = rateSteps;
    Object.assign(field(`rate${suffix}`), { min: `${least * perDecade}`, max: `${most * perDecade}`, step: '1' });
    Object.assign(field(`batch${suffix}`), { min: '1', max: `${largestBatchPower}`, step: '1' });
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', ({ target }) => {
    if ((target as Field).type === 'range') onChange((before) => read(before, (target as Field).name));
  });
  form.addEventListener('change', ({ target }) => {
    const { name, type } = target as Field;
    if (name && type !== 'range') onChange((before) => read(before, name));
  });
}

/** The settings after a field was changed. Numbers outside their limits are clamped. */
function read(before: Settings, name: string): Settings {
  const changed = field(name);
  const { value } = changed;
  if (name === 'method') return { ...before, lane: usualLanes[value as MethodName] };
  if (name === 'method2') return { ...before, rival: value === 'none' ? null : usualLanes[value as MethodName] };
  if (name === 'rate' || name === 'batch') return { ...before, lane: laneOf(before.lane, name, value) };
  if (name === 'rate2' || name === 'batch2') {
    const part = name === 'rate2' ? 'rate' : 'batch';
    return before.rival ? { ...before, rival: laneOf(before.rival, part, value) } : before;
  }
  if (changed.type === 'checkbox') return { ...before, [name]: (changed as HTMLInputElement).checked };
  if (changed.type !== 'number') return { ...before, [name]: value };
  const [least, most] = limits[name as 'points'];
  const number = Number(value);
  const whole = name === 'sigma' ? number : Math.round(number);
  return { ...before, [name]: Math.max(least, Math.min(most, value === '' ? least : whole)) };
}

function laneOf(lane: Lane, part: 'rate' | 'batch', value: string): Lane {
  if (part === 'batch') return { ...lane, batch: 2 ** Number(value) };
  return { ...lane, rate: Number((10 ** (Number(value) / rateSteps.perDecade)).toPrecision(2)) };
}

export function showSettings(settings: Settings): void {
  const { lane, rival, ...rest } = settings;
  for (const [name, value] of Object.entries(rest)) {
    const one = field(name);
    if (!one) continue;
    if (typeof value === 'boolean') (one as HTMLInputElement).checked = value;
    else if (one.value !== String(value)) one.value = String(value);
  }
  showLane('', lane);
  showLane('2', rival);
  field('sigma').disabled = settings.graph !== 'gaussian';
  field('neighbors').disabled = settings.graph !== 'knn' && settings.graph !== 'self-tuned';
  field('points').disabled = settings.data === 'csv';
  query('#cluster-box').hidden = settings.color !== 'cluster';
}

function showLane(suffix: string, lane: Lane | null): void {
  field(`method${suffix}`).value = lane?.method ?? 'none';
  const takesSteps = lane !== null && !isOnLandmarks(lane.method);
  if (suffix === '2') query('#rival-settings').hidden = !takesSteps;
  const { rate, batch } = lane ?? usualLanes.ritz;
  field(`rate${suffix}`).value = String(Math.round(Math.log10(rate) * rateSteps.perDecade));
  field(`batch${suffix}`).value = String(Math.round(Math.log2(batch)));
  field(`rate${suffix}`).disabled = !takesSteps;
  field(`batch${suffix}`).disabled = !takesSteps;
  query(`#rate${suffix}-shown`).textContent = takesSteps ? String(rate) : '–';
  query(`#batch${suffix}-shown`).textContent = takesSteps ? String(batch) : '–';
}
