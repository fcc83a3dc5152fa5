/** The short form of `npm run check:campaign`: up to 200 tries of each kind and ten kills, in this process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../datasets/index.ts';
import { badValue } from '../lib/core/check.ts';
import { SpectralEmbedding, type Tensor } from '../lib/index.ts';
import { isOwnError, type Kind, Misread, requireSame } from './checks/campaign/kind.ts';
import { type KindEntry, kinds } from './checks/campaign/kinds.ts';
import { boundsOf } from './checks/campaign/kinds/onnx-comparison.ts';
import { runKills } from './checks/campaign/kills.ts';
import { Reader } from './checks/campaign/reader.ts';
import { smallModel } from './checks/campaign/run.ts';
import { totalKills } from './checks/campaign/tables.ts';
import { runTries } from './checks/campaign/run-tries.ts';
import { memoryFolder } from './checks/campaign/temporary.ts';

const test = suite('campaign');

const reader = Reader.open();
if (!reader) console.log('left out: the comparison with NumPy and SciPy, which are not here');
const folder = mkdtempSync(join(memoryFolder(), 'campaign-'));

for (const [name, { open, isCompared, share }] of Object.entries<KindEntry>(kinds)) {
  test(`${name}: hostile inputs are refused in words or read as they are`, async () => {
    const kind = await open({ reader, folder });
    const tries = Math.round(200 * Math.min(1, share));
    const tally = await runTries(name, kind, isCompared && reader !== null, { seed: 'short', from: 0, to: tries });
    await kind.close?.();
    assert.equal(tally.failures, []);
    assert.equal([tally.raw, tally.misreads, tally.tries], [0, 0, tries]);
    assert.ok(tally.accepted > tries / 20 && tally.refused > tries / 20, `${tally.accepted} of ${tries} were accepted`);
    if (isCompared && reader) assert.ok(tally.compared > tries / 20, `${tally.compared} were compared`);
  });
}

test('ten kills within writes: nothing is torn or lost, and the next run ends in the same bits', async () => {
  const few = new Set(['export', 'jobs', 'plan', 'work']);
  const report = await runKills('short', 10, await smallModel(), ({ name }) => few.has(name));
  const failures = Object.values(report).flatMap((counts) => counts.failures);
  assert.equal([totalKills(report).kills, failures], [10, []]);
});

test('errors that are not ours, wrong results and wrong words are counted', async () => {
  const attempts: Kind['attempt'][] = [
    async () => 'accepted',
    async () => 'unread',
    async () => 'unchecked',
    async () => (null as unknown as string).length as never,
    async () => requireSame([1, -0], [1, 0], 'zeros') as never,
    async () => {
      throw new Misread('a shape');
    },
    async () => {
      throw new RangeError('Invalid typed array length: -1');
    },
  ];
  const kind: Kind = { attempt: (random, index) => attempts[index](random, index) };
  const tally = await runTries('planted', kind, true, { seed: '1', from: 0, to: attempts.length });
  assert.equal([tally.tries, tally.raw, tally.misreads, tally.unread, tally.compared], [7, 2, 2, 1, 1]);
  assert.is(tally.accepted, 5);
  assert.match(tally.failures[0], /^planted 3: TypeError: Cannot read properties of null/);
  assert.is(tally.failures[1], 'planted 4: zeros: 0 instead of 0 at 1');
  assert.ok(isOwnError(badValue('readNpy', 'a shape', 3)));
  assert.not(isOwnError(new Error('readNpy: expected a shape, got 3.')));
});

test('the bounds for onnxruntime are far below the coordinates, and none is claimed where rounding decides', async () => {
  const { points } = oneMoon({ n: 40, seed: 1 });
  for (const options of [{ landmarks: 12 }, { hidden: [4], method: 'ritz' }] as const) {
    // oxlint-disable-next-line no-await-in-loop -- small
    const { model, embedding } = await new SpectralEmbedding(options).fit(points);
    const bounds = boundsOf(model, points)!;
    assert.ok(Math.max(...bounds) < 1e-3 * Math.max(...embedding.data), `${Math.max(...bounds)}`);
    const weights = model.kind === 'network' ? model.network.layers[0].weights : (model.landmarks.centers as Tensor);
    weights.data.fill(3e38);
    assert.is(boundsOf(model, points), null);
  }
});

test.after(async () => {
  await reader?.close();
  rmSync(folder, { recursive: true });
});

test.run();
