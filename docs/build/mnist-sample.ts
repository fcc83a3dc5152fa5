/** The MNIST digits that the page shows: a seeded sample in one small file. */

import { gzipSync } from 'node:zlib';
import { loadMnist } from '../../datasets/image-sets.ts';

const images = 2000;

/** The format: a count, that many labels, that many images of 28×28 bytes. `docs/demo/engine/data.ts` reads it. */
export async function sampleMnist(): Promise<Uint8Array> {
  const { train } = await loadMnist({ train: images, test: 1, seed: 1 });
  const bytes = new Uint8Array(4 + images + train.points.size);
  new DataView(bytes.buffer).setUint32(0, images, true);
  bytes.set(train.labels!, 4);
  bytes.set(
    Uint8Array.from(train.points.data, (value) => Math.round(255 * value)),
    4 + images,
  );
  return gzipSync(bytes, { level: 9 });
}
