import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../../docs/demo/engine/session.ts';
import { refusalOf } from '../../docs/demo/page/files.ts';
import { readUserFile } from '../../docs/demo/engine/user-file.ts';
import type { Frame, Scene, SessionEvent } from '../../docs/demo/protocol.ts';
import {
  defaults,
  isOnLandmarks,
  type MethodName,
  methodNames,
  type Settings,
  usualLanes,
} from '../../docs/demo/settings.ts';
import { loadModel, saveModel } from '../../lib/index.ts';

const test = suite('session of the page');

/** A clock that advances by a millisecond per reading, so that time slices have the same number of steps on any machine. */
function listen(): { session: Session; frames: Frame[]; scene: () => Scene } {
  let time = 0;
  const events: SessionEvent[] = [];
  const frames: Frame[] = [];
  const session = new Session({
    now: () => time++,
    tell: (event) => {
      events.push(event);
      if (event.kind === 'frame') frames.push(event.frame);
    },
    mnist: () => Promise.reject(new Error('no images here')),
  });
  const scene = (): Scene => {
    const found = events.findLast((event) => event.kind === 'opened');
    assert.ok(found?.kind === 'opened');
    return found.scene;
  };
  return { session, frames, scene };
}

const small: Settings = { ...defaults, data: 'one-moon', points: 300, hidden: '32' };
const laneOf = (method: MethodName, batch = 32): Settings['lane'] => ({ ...usualLanes[method], batch });

test('a scene has a place, an edge at least and exact coordinates for its points', async () => {
  const { session, scene } = listen();
  await session.open(small, null);
  const { size, places, edges, truth, components, eigenvalues } = scene();
  assert.equal([size, places.length, truth.length, components], [300, 900, 600, 2]);
  assert.ok(edges.length > 0 && edges.every((node) => node >= 0 && node < 300));
  assert.ok(eigenvalues[0] > eigenvalues[1] && eigenvalues[0] < 1);
});

/** SpecNet1 with the neighbor scheme finds the first eigenvector at best, and its gap need not decrease. */
const falling = methodNames.filter((method) => !isOnLandmarks(method) && method !== 'specnet1-neighbor');

for (const method of falling) {
  test(`${method} learns: its gap falls`, async () => {
    const { session, frames } = listen();
    await session.open({ ...small, lane: laneOf(method) }, null);
    for (let i = 0; i < 12; i++) session.tick();
    await session.step();
    const gaps = frames.map(({ gap }) => gap);
    const last = frames[frames.length - 1];
    assert.ok(last.gap < 0.7 * gaps[0], gaps.join(' '));
    assert.is(last.coordinates.length, 600);
    assert.ok(last.eigenvalues.every((value) => value < 1));
  });
}

test('specnet1-neighbor moves, and stays finite', async () => {
  const { session, frames } = listen();
  await session.open({ ...small, lane: laneOf('specnet1-neighbor') }, null);
  for (let i = 0; i < 4; i++) session.tick();
  const [first, last] = [frames[0], frames[frames.length - 1]];
  assert.ok(last.steps > 10 && last.coordinates.every(Number.isFinite));
  assert.ok(last.coordinates.some((value, i) => Math.abs(value - first.coordinates[i]) > 0.01));
});

for (const method of ['regression', 'ritz'] as const) {
  test(`${method} ends with as many landmarks as fit takes, near the truth`, async () => {
    const { session, frames } = listen();
    await session.open({ ...small, lane: laneOf(method) }, null);
    for (let i = 0; i < 20 && !session.isDone; i++) session.tick();
    const last = frames[frames.length - 1];
    assert.ok(session.isDone && last.done);
    const [, count, most] = /(\d+) of (\d+)/.exec(last.detail)!;
    assert.is(count, most);
    assert.ok(Number(count) >= 150, last.detail);
    assert.ok(
      last.errors.every((error) => error < 0.05),
      last.errors.join(),
    );
  });
}

test('two that race have frames each, and a reset takes both back to no steps', async () => {
  const { session, frames } = listen();
  await session.open({ ...small, rival: laneOf('specnet2-local') }, null);
  session.tick();
  session.tick();
  assert.ok([0, 1].every((lane) => frames.findLast((frame) => frame.lane === lane)!.steps > 0));
  session.reset();
  assert.equal(frames.slice(-2).map(({ lane, steps }) => [lane, steps]), [[0, 0], [1, 0]]); // oxfmt-ignore
});

test('a new batch size continues the training, a new method starts over', async () => {
  const { session, frames } = listen();
  await session.open(small, null);
  for (let i = 0; i < 6; i++) session.tick();
  const { steps, gap, epoch } = frames[frames.length - 1];
  session.change([laneOf('specnet2-neighbor', 300)]); // full batch: every step is an epoch, not every fifth
  for (let i = 0; i < 3; i++) session.tick();
  const later = frames[frames.length - 1];
  assert.ok(later.steps > steps && later.gap < 2 * gap, `${gap} then ${later.gap}`);
  assert.ok(later.epoch - epoch > 0.5 * (later.steps - steps), `${later.epoch - epoch} of ${later.steps - steps}`);
  session.change([laneOf('specnet1-full')]);
  assert.is(frames[frames.length - 1].steps, 0);
});

test('another rate holds from the next step on: with next to none nothing moves any more', async () => {
  const { session, frames } = listen();
  await session.open(small, null);
  const moved = async (): Promise<number> => {
    const { coordinates } = frames[frames.length - 1];
    for (let i = 0; i < 3; i++) session.tick();
    await session.step();
    const later = frames[frames.length - 1].coordinates;
    return Math.max(...later.map((value, i) => Math.abs(value - coordinates[i])));
  };
  assert.ok((await moved()) > 0.01);
  session.change([{ ...small.lane, rate: 1e-9 }]);
  assert.ok((await moved()) < 1e-3);
  session.change([small.lane]);
  assert.ok((await moved()) > 0.01);
});

test('a point of the data that is asked for as a new one gets the coordinates it has', async () => {
  const { session, frames, scene } = listen();
  await session.open({ ...small, lane: laneOf('ritz') }, null);
  for (let i = 0; i < 20 && !session.isDone; i++) session.tick();
  const { places } = scene();
  session.embed(Float32Array.of(places[0], places[1], places[3 * 7], places[3 * 7 + 1]));
  const { coordinates, embedded } = frames[frames.length - 1];
  for (const [k, i] of [0, 7].entries()) {
    for (const c of [0, 1]) assert.ok(Math.abs(embedded[2 * k + c] - coordinates[2 * i + c]) < 1e-4);
  }
});

test('a model that was saved and loaded shows the same errors', async () => {
  const { session, frames } = listen();
  await session.open(small, null);
  for (let i = 0; i < 4; i++) session.tick();
  await session.step();
  const { errors } = frames[frames.length - 1];
  const bytes = saveModel(session.model(0));
  session.reset();
  session.show(loadModel(bytes));
  const shown = frames[frames.length - 1];
  assert.match(shown.detail, /file/);
  for (const [k, error] of shown.errors.entries()) assert.ok(Math.abs(error - errors[k]) < 1e-4);
});

test('a CSV file is read with its labels, in words or under their name; a column y is none', async () => {
  const { session, scene } = listen();
  const file = (text: string) => ({ name: 'mine.csv', bytes: new TextEncoder().encode(text) });
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i * i) % 7},${i < 30 ? 'low' : 'high'}`);
  await session.open({ ...small, data: 'csv' }, file(['x,y,what', ...rows].join('\n')));
  assert.equal([scene().columns, scene().labelNames, scene().title], [2, ['high', 'low'], 'mine.csv']);
  await session.open({ ...small, data: 'csv' }, file(rows.map((row) => row.replace(/,\w+$/, '')).join('\n')));
  assert.equal([scene().columns, scene().labels], [2, null]);
  const refused = await session.open({ ...small, data: 'csv' }, null).then(() => '', String);
  assert.match(refused, /Drop a file/);
});

test('a step of regression waits for a solver that is loaded', async () => {
  const { session, frames } = listen();
  // Points on a line: their graph is factored, by a solver that is loaded on demand.
  const line = Array.from({ length: 8000 }, (_, i) => `${i},${i % 2}`).join('\n');
  const file = { name: 'line.csv', bytes: new TextEncoder().encode(line) };
  await session.open({ ...small, data: 'csv', lane: laneOf('regression') }, file);
  assert.is(frames.length, 0);
  session.tick();
  assert.is(frames.length, 0, 'the first result is not there yet');
  await session.step();
  assert.is(frames.at(-1)!.steps, 1);
});

test('a file that cannot be read leaves the points as they were, and learning goes on', async () => {
  const { session, frames, scene } = listen();
  const file = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
  const open = (text: string, signal?: AbortSignal): Promise<string> =>
    session.open({ ...small, data: 'csv' }, file('bad.csv', text), signal).then(() => 'opened', String);
  await session.open(small, null);
  await session.step();
  const { shape } = session.task().points;
  const problems = {
    '': /^RangeError: bad\.csv is empty\./,
    'a,b\nred,green\nblue,red\n': /^RangeError: bad\.csv: expected /,
    'a,b\n1,2\n': /^RangeError: bad\.csv has one point; 2 components need at least 4\. Add rows\./,
    [`${'1,'.repeat(5000)}1\n`.repeat(9)]: /^RangeError: bad\.csv has 5,001 columns; this page reads up to 4,096\./,
    ['1,2\n'.repeat(200_001)]: /^RangeError: bad\.csv has 200,001 lines; .* specnet embed FILE\./,
    ['5,5\n'.repeat(50)]: /^RangeError: bad\.csv: expected points that differ/,
  };
  for (const [text, message] of Object.entries(problems)) assert.match(await open(text), message);
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i * i) % 7}`).join('\n');
  assert.match(await open(rows, AbortSignal.abort()), /AbortError/);
  assert.is(scene().title, 'One moon');
  assert.equal(session.task().points.shape, shape);
  await session.step();
  assert.is(frames[frames.length - 1].steps, 2);
  assert.is(await open(rows), 'opened');
  assert.equal([scene().title, scene().size], ['bad.csv', 60]);
});

test('what is dropped is refused by its size and number before it is read', () => {
  const file = { name: 'a.csv', size: 64 * 2 ** 20 };
  assert.is(refusalOf([file], null), null);
  assert.match(refusalOf([{ ...file, size: file.size + 1 }], null)!, /^a\.csv has 64 MB; .* up to 64 MB\. Drop a part/);
  assert.match(refusalOf([{ ...file, size: 2e8 }], null)!, /^a\.csv has 191 MB; .*: specnet embed FILE\.$/);
  assert.is(refusalOf([file, { ...file, name: 'b.csv' }], null), 'Drop one file at a time, not 2: a.csv, b.csv');
  assert.match(refusalOf([], null)!, /^There was no file/);
  assert.match(refusalOf([file], 'photos\u202e')!, /^photos\? is a folder\. Drop one of its files\.$/);
});

test('of a file with more points than the page shows, the same sample is drawn each time', async () => {
  const text = Array.from({ length: 20_100 }, (_, i) => `${i},${i % 2 ? 'odd' : 'even'}`).join('\n');
  const file = { name: 'many.csv', bytes: new TextEncoder().encode(`x,kind\n${text}`) };
  const [first, second, other] = await Promise.all([1, 1, 2].map((seed) => readUserFile(file, seed)));
  const { points, labels, totalRows, labelNames, notes } = first;
  assert.equal([points.rows, totalRows, labelNames], [20_000, 20_100, ['even', 'odd']]);
  assert.ok(
    points.data.every((value, i) => i === 0 || value > points.data[i - 1]),
    'in their order',
  );
  assert.ok(
    points.data.every((value, i) => labels![i] === value % 2),
    'with their labels',
  );
  assert.equal(points.data, second.points.data);
  assert.ok(points.data.some((value, i) => value !== other.points.data[i]));
  assert.ok(notes.includes('Label: kind.'), notes.join());
});

test('in a graph of several parts errors are those of the best rotation, for the eigenvalue 1 repeats', async () => {
  const { session, frames, scene } = listen();
  const rows = Array.from({ length: 90 }, (_, i) => `${(i % 30) / 30 + 10 * Math.floor(i / 30)},${(i * 7) % 5}`);
  const bytes = new TextEncoder().encode(rows.join('\n'));
  await session.open({ ...small, data: 'csv', lane: laneOf('ritz') }, { name: 'parts.csv', bytes });
  for (let i = 0; i < 20 && !session.isDone; i++) session.tick();
  const { errors } = frames[frames.length - 1];
  assert.is(scene().parts, 3);
  assert.ok(
    errors.every((error) => error < 1e-4),
    errors.join(),
  );
});

test.run();
