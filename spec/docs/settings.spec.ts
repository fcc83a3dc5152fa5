import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  dataNames,
  defaults,
  fromAddress,
  limits,
  methodNames,
  type Settings,
  toAddress,
  usualLanes,
} from '../../docs/demo/settings.ts';

const test = suite('settings of the page');

test('default settings have an empty address, and an empty address means default settings', () => {
  assert.is(toAddress(defaults), '');
  assert.equal(fromAddress(''), defaults);
  assert.equal(fromAddress('#'), defaults);
});

test('every choice comes back from its address', () => {
  for (const data of dataNames) {
    for (const method of methodNames) {
      const settings: Settings = {
        ...defaults,
        data,
        tab: 'bench',
        theme: 'dark',
        points: 500,
        seed: 7,
        graph: 'gaussian',
        sigma: 0.25,
        neighbors: 9,
        components: 3,
        hidden: '128,128',
        lane: { method, rate: 0.0123, batch: 32 },
        rival: usualLanes['specnet1-full'],
        color: 'cluster',
        clusters: '4',
        edges: false,
        truth: false,
        simd: false,
      };
      assert.equal(fromAddress(`#${toAddress(settings)}`), settings);
    }
  }
});

test('a method without rate and batch has its usual ones, and no rival is none', () => {
  const { lane, rival } = fromAddress('#method=specnet1-local');
  assert.equal(lane, usualLanes['specnet1-local']);
  assert.is(rival, null);
  assert.equal(fromAddress('#method2=ritz').rival, usualLanes.ritz);
});

test('wrong values in an address become defaults', () => {
  const wrong =
    '#data=x&points=1e9&points=3&seed=-1&method=y&rate=0&batch=1.5&sigma=NaN&components=1&clusters=1&edges=maybe&tab=z';
  assert.equal(fromAddress(wrong), defaults);
  assert.is(fromAddress(`#points=${limits.points[1] + 1}`).points, defaults.points);
});

test.run();
