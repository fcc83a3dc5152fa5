/** The view keeps the points inside during training, and does not jitter. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../../docs/demo/engine/session.ts';
import { Following, mixBounds } from '../../docs/demo/page/follow.ts';
import { type Bounds, boundsOf, cameraOf, noRotation, project } from '../../docs/demo/page/view.ts';
import { defaults, methodNames, usualLanes } from '../../docs/demo/settings.ts';

const test = suite('a picture that follows');

const none = new Float32Array(0);
const unit: Bounds = { middle: [0, 0, 0], reach: [1, 1, 1] };

/** Points in the plane, from two numbers each. */
function lifted(pairs: Float32Array, stride = 2): Float32Array {
  const result = new Float32Array((3 * pairs.length) / stride);
  for (let i = 0; 3 * i < result.length; i++) result.set([pairs[stride * i], pairs[stride * i + 1]], 3 * i);
  return result;
}

/** How many of the positions drawn between two frames are outside the view. */
function outside(before: Float32Array, after: Float32Array, from: Bounds, to: Bounds): number {
  let count = 0;
  for (const fraction of [0, 0.25, 0.5, 0.75, 1]) {
    const camera = cameraOf(mixBounds(from, to, fraction), noRotation, 1.3, false, false);
    for (let i = 0; i < after.length; i += 3) {
      const at = [0, 1].map((c) => before[i + c] + fraction * (after[i + c] - before[i + c]));
      const [left, top] = project(camera, at[0], at[1], 0);
      if (!(left >= 0 && left <= 1 && top >= 0 && top <= 1)) count++;
    }
  }
  return count;
}

for (const method of methodNames) {
  test(`no point of ${method} leaves it, and it holds still most of the time`, async () => {
    let time = 0;
    const frames: Float32Array[] = [];
    let home: Float32Array = none;
    const session = new Session({
      now: () => (time += 4),
      tell: (answer) => {
        if (answer.kind === 'opened') home = lifted(answer.scene.truth, answer.scene.components);
        if (answer.kind === 'frame') frames.push(lifted(answer.frame.coordinates));
      },
      mnist: () => Promise.reject(new Error('no images here')),
    });
    const lane = { ...usualLanes[method], batch: 32 };
    await session.open({ ...defaults, data: 'one-moon', points: 300, hidden: '32', lane }, null);
    for (let i = 0; i < 40 && !session.isDone; i++) session.tick();
    const following = new Following(boundsOf(home));
    let [before, bounds, left, changes, unfollowed] = [frames[0], following.next(frames[0], none), 0, 0, 0];
    for (const after of frames.slice(1)) {
      const next = following.next(after, none);
      left += outside(before, after, bounds, next);
      unfollowed += outside(before, after, boundsOf(home), boundsOf(home));
      if (next.reach.some((reach, c) => reach !== bounds.reach[c])) changes++;
      [before, bounds] = [after, next];
    }
    assert.is(left, 0, `${left} places outside; ${unfollowed} in a picture that does not follow`);
    assert.ok(changes <= 2 + 0.4 * frames.length, `${changes} changes in ${frames.length} frames`);
  });
}

test('points that tremble by a few percent move it once at most', () => {
  const following = new Following(unit);
  const reaches = Array.from({ length: 200 }, (_, i) => {
    const size = 1.5 + 0.06 * Math.sin(i);
    return following.next(Float32Array.of(size, size, 0, -size, -size, 0), none).reach[0];
  });
  assert.ok(new Set(reaches.slice(10)).size === 1, `${new Set(reaches).size} sizes`);
});

test('bounds that have grown shrink again, later and smoothly, but not below their minimum', () => {
  const following = new Following(unit);
  const grown = following.next(Float32Array.of(10, 0, 0), none).reach[0];
  assert.ok(grown > 5);
  const reaches = Array.from({ length: 200 }, () => following.next(Float32Array.of(0.1, 0, 0), none).reach[0]);
  assert.is(reaches[10], grown);
  assert.ok(reaches.every((reach, i) => i === 0 || (reach <= reaches[i - 1] && reach > 0.85 * reaches[i - 1])));
  const last = reaches[reaches.length - 1];
  assert.ok(last >= 1 && last < 1.2, `${last}`);
});

test('at rest the bounds are tight, independent of the past', () => {
  const following = new Following(unit);
  following.next(Float32Array.of(10, 0, 0), none);
  assert.not(following.isRoomy);
  following.next(Float32Array.of(0.1, 0, 0), none);
  assert.ok(following.isRoomy);
  const { reach } = following.rest(Float32Array.of(0.1, 0, 0), none);
  assert.ok(reach[0] >= 1 && reach[0] < 1.2, `${reach[0]}`);
  assert.not(following.isRoomy);
});

test('a mark is shown with the points, unless it is so far that they would be a dot', () => {
  const corner = Float32Array.of(1, 1, 0, -1, -1, 0);
  const near = new Following(unit).next(corner, Float32Array.of(2, 0, 0));
  assert.ok(near.middle[0] + near.reach[0] >= 2);
  const far = new Following(unit).next(corner, Float32Array.of(1000, 0, 0));
  assert.ok(far.reach[0] < 2.2, `${far.reach[0]}`);
});

test('numbers that are none leave it as it is', () => {
  const following = new Following(unit);
  assert.equal(following.next(Float32Array.of(Infinity, 0, 0), none), unit);
  assert.equal(following.next(Float32Array.of(Number.NaN, 0, 0), none), unit);
});

test.run();
