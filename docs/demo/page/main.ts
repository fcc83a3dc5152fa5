/** The entry point of the page: reads the address, starts the worker, and connects it with the controls. */

import { Connection, plainClasses } from '../../../lib/worker/calls.ts';
import { portTo } from '../../../lib/worker/ports.ts';
import type { SessionCalls, SessionEvent } from '../protocol.ts';
import { fromAddress, type Settings, themes, toAddress } from '../settings.ts';
import { isMatrixFile, type UserFile } from '../user-file.ts';
import { prepareBench, showBench, showBenchProgress } from './bench-tab.ts';
import { Clusters } from './clusters.ts';
import { prepareControls, showSettings } from './controls.ts';
import { query } from '../../../lib/pictures/browser/element.ts';
import { download, isModel, prepareFiles } from './files.ts';
import { Live } from './live-tab.ts';
import { MatrixBench } from './matrix-bench.ts';
import { Pad } from './pad.ts';
import { prepareTabs, showTab } from './tabs.ts';
import { applyTheme, onSystemTheme } from './theme.ts';
import { Verify } from './verify-tab.ts';

const on = (selector: string, listener: () => void): void => query(selector).addEventListener('click', listener);

/** Training that the user did not start stops after this many milliseconds, to spare the processor. */
const unasked = 30_000;

const themeTitles: Record<Settings['theme'], string> = { system: 'auto', light: 'light', dark: 'dark' };

let settings: Settings = fromAddress(location.hash);
/** The file that is open, if there is one. */
let file: UserFile | null = null;
let opening = new AbortController();
let verify: Verify | null = null;
let running = false;
let rest: ReturnType<typeof setTimeout> | undefined;
const port = portTo('page', new Worker(new URL('worker.js', document.baseURI), { type: 'module' }));
const session = new Connection<SessionCalls>(port, plainClasses);
const live = new Live(settings, {
  onEmbed: (points) => {
    ask('embed', points);
    clusters.predict(points, live.scene!.columns).catch(showError);
  },
});
const clusters = new Clusters({
  fetchTask: () => session.call('page', 'task', null),
  onFound: (labels) => live.showClusters(labels),
  onNote: (text) => (query('#cluster-note').textContent = text),
});

/** Makes a call and hands its output on. Errors are shown. */
function ask<Name extends Exclude<keyof SessionCalls, 'watch'>>(
  name: Name,
  input: SessionCalls[Name]['input'],
  take: (output: SessionCalls[Name]['output']) => void = () => {},
  notice?: (fraction: number) => void,
): void {
  withdrawProblem();
  session.call('page', name, input, { notice }).then(take, showError);
}

function showError(error: Error): void {
  complain(error.message);
}

/** Shows a problem, which stays until the user does something else. */
function complain(text: string): void {
  query('#status').textContent = text;
  query('#status').classList.add('bad');
}

function withdrawProblem(): void {
  query('#status').classList.remove('bad');
}

/** Shows what happens, unless a problem is shown. */
function say(text: string): void {
  const status = query('#status');
  if (!status.classList.contains('bad')) status.textContent = text;
}

/** Fields that require new points, a new graph or a new network. */
const openingKeys = ['data', 'points', 'seed', 'graph', 'sigma', 'neighbors', 'components', 'hidden'] as const;

/** Takes over settings, and shows them in the address and in the form. */
function adopt(next: Settings): void {
  settings = next;
  history.replaceState(null, '', `#${toAddress(settings)}`);
  present();
}

function change(next: Settings): void {
  const before = settings;
  adopt(next);
  if (before.color !== settings.color || before.clusters !== settings.clusters) findClusters();
  if (openingKeys.some((key) => before[key] !== settings[key])) return open();
  if (before.simd !== settings.simd) ask('switchSimd', settings.simd);
  const [lane, rival] = [settings.lane, settings.rival];
  if (before.lane === lane && before.rival === rival) return;
  const isOther = before.lane.method !== lane.method || before.rival?.method !== rival?.method;
  if (isOther) live.forget();
  ask('change', rival ? [lane, rival] : [lane]);
  if (isOther) begin();
}

function present(): void {
  applyTheme(settings.theme);
  showSettings(settings);
  query<HTMLInputElement>('#simd').checked = settings.simd;
  showTab(settings.tab);
  query('#theme').textContent = `Theme: ${themeTitles[settings.theme]}`;
  query('#share').hidden = settings.tab !== 'live';
  if (settings.tab === 'verify') verify ??= new Verify(query('#verify-page'));
  live.configure(settings);
}

/** Opens the points of the settings. */
function open(): void {
  if (settings.data === 'csv' && !file) return say('Drop a file anywhere on this page, or choose one.');
  openPoints(settings, file, () => {});
}

/** Opens the file. Settings and points stay as they are if that fails. */
function openFile(next: UserFile): void {
  openPoints({ ...settings, data: 'csv' }, next, () => {
    file = next;
    adopt({ ...settings, data: 'csv' });
  });
}

/** Opens points, then learns from them. Gives up what was being opened. */
function openPoints(wanted: Settings, from: UserFile | null, take: () => void): void {
  withdrawProblem();
  opening.abort();
  const { signal } = (opening = new AbortController());
  const input = { settings: wanted, file: wanted.data === 'csv' ? from : null };
  session.call('page', 'open', input, { signal }).then(
    () => {
      take();
      begin();
    },
    (error: Error) => {
      if (!signal.aborted) showError(error);
    },
  );
}

/** Trains without being asked to, unless the user wants no motion. */
function begin(): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!calm && settings.tab === 'live') train(true, true);
}

/** `unbidden`: the user has not started the training, so it stops by itself. */
function train(wanted: boolean, unbidden = false): void {
  clearTimeout(rest);
  ask('run', wanted);
  if (wanted && unbidden) {
    rest = setTimeout(() => {
      session.call('page', 'run', false).catch(showError); // does not take back a problem
      say('Paused to spare your processor. Press Train to continue.');
    }, unasked);
  }
}

/** Finds clusters if they color the points. */
function findClusters(): void {
  const { scene } = live;
  if (settings.color === 'cluster' && scene) return void clusters.find(settings, scene.labels);
  clusters.forget();
  live.showClusters(null);
}

function nameRun(): void {
  const name = running ? 'Pause' : live.isDone ? 'Again' : 'Train';
  if (query('#run').textContent !== name) query('#run').textContent = name;
}

function showRunning(isRunning: boolean): void {
  running = isRunning;
  nameRun();
  if (running) say('Learning in a separate thread.');
  else if (live.isDone) say('Done: the function is learned. Click among the points to embed a new one.');
}

function show(event: SessionEvent): void {
  switch (event.kind) {
    case 'progress':
      return say(event.text);
    case 'opened': {
      live.open(event.scene);
      findClusters();
      const { graph, eigenvectors } = event.scene.seconds;
      return say(`Graph in ${graph.toFixed(2)} s, exact eigenvectors in ${eigenvectors.toFixed(2)} s.`);
    }
    case 'frame':
      live.show(event.frame, performance.now());
      return nameRun();
    case 'running':
      return showRunning(event.running);
    case 'simd':
      if (!event.enabled && settings.simd) return say(`No SIMD here: ${event.reason}. The plain kernels are in use.`);
      return say(event.enabled ? 'The SIMD kernels are in use.' : 'The plain kernels are in use.');
    case 'failed':
      return complain(event.message);
  }
}
session.call('page', 'watch', null, { notice: show }).catch(showError);
port.onFailure((reason) => complain(`The worker failed: ${reason}. Reload the page.`));

function save(format: 'specnet' | 'onnx'): void {
  ask('save', { lane: 0, format }, (bytes) => {
    const name = `model.${format}`;
    download(name, bytes);
    say(`Saved ${name}, ${bytes.length.toLocaleString('en')} bytes.`);
  });
}

const matrixBench = new MatrixBench();

/** Measures products with the matrix of a file, in its tab. Learning pauses, because it would disturb. */
function measureMatrix(given: UserFile): void {
  if (running) train(false);
  if (settings.tab !== 'bench') change({ ...settings, tab: 'bench' });
  void matrixBench.measure(given);
}

prepareControls((next) => change(next(settings)));
prepareBench(() => {
  showBenchProgress('Measuring …');
  ask('bench', null, showBench, (fraction) => showBenchProgress(`${Math.round(100 * fraction)} %`));
});
prepareFiles({
  onFile: (given) => {
    if (isMatrixFile(given.name) || settings.tab === 'bench') measureMatrix(given);
    else if (isModel(given)) ask('load', given);
    else openFile(given);
  },
  onRefused: (message) => (settings.tab === 'bench' ? matrixBench.refuse(message) : complain(message)),
});
const pad = new Pad(query('#pad'), (pixels) => live.embedPoint(pixels));

function reset(): void {
  live.forget();
  ask('reset', null);
}

on('#run', () => {
  if (!running && live.isDone) reset();
  train(!running);
});
on('#step', () => ask('step', null));
on('#reset', reset);
on('#save', () => save('specnet'));
on('#onnx', () => save('onnx'));
on('#clear-points', () => live.clearMarks());
on('#pad-clear', () => pad.clear());
on('#theme', () => change({ ...settings, theme: themes[(themes.indexOf(settings.theme) + 1) % themes.length] }));
on('#share', () => {
  navigator.clipboard?.writeText(location.href).then(
    () => say('Link copied.'),
    () => say(location.href),
  );
});
query('#simd').addEventListener('change', () => {
  change({ ...settings, simd: query<HTMLInputElement>('#simd').checked });
});
prepareTabs((tab) => {
  if (tab !== 'live' && running) train(false);
  change({ ...settings, tab });
});
onSystemTheme(() => present());
addEventListener('hashchange', () => {
  const next = fromAddress(location.hash);
  if (toAddress(next) !== toAddress(settings)) change(next);
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden && running) train(false);
});
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  if (settings.tab !== 'live' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof Element && target.closest('input, select, button, summary, a')) return;
  const actions: Record<string, string> = { ' ': '#run', s: '#step', r: '#reset' };
  if (!actions[key]) return;
  event.preventDefault();
  query(actions[key]).click();
});

present();
open();
