/** A user's program without tools. It learns on two threads and prints a digest of the coordinates. */

import { loadModel, saveModel, setThreads, simdStatus, SpectralEmbedding, transform } from 'specnet';
import { twoMoons } from 'specnet/datasets';

const { points } = twoMoons({ seed: 1, n: 400 });
setThreads(2);
const fitted = await new SpectralEmbedding({
  components: 2,
  method: 'specnet2',
  hidden: [16],
  training: { epochs: 2 },
}).fit(points);
const { data, shape } = transform(loadModel(saveModel(fitted.model)), points);
const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data.slice()));
const hex = Array.from(digest.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join('');
const { enabled, threads } = simdStatus();
console.log(`${shape.join('×')} ${hex}, SIMD ${enabled ? 'on' : 'off'}, threads ${threads}`);
setThreads(1);
