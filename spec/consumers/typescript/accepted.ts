/** A user's program. It must compile under the strictest settings, without types of any dependency. */

import { loadModel, saveModel, SpectralEmbedding, tensor, transform } from 'specnet';
import { fromNdarray, toNdarray } from 'specnet/tensor';
import { trainAndTest, twoMoons } from 'specnet/datasets';
import { readNpz } from 'specnet/formats';

const { train, test } = trainAndTest(twoMoons, { seed: 1, n: 300 });
const embedding = new SpectralEmbedding({ components: 2 });
const fitted = await embedding.fit(train.points, { progress: (fraction: number) => void fraction });
const rows: number[][] = fitted.embedding.toArray();
const first: number | undefined = rows[0]?.[0];
const unseen = fitted.transform(test.points.toArray());
const loaded = transform(loadModel(saveModel(fitted.model)), [[0.5, 0.5]]);
const shape: readonly number[] = fromNdarray(toNdarray(tensor([[1, 2]]))).shape;
console.log(typeof first, unseen.rows === test.points.rows, loaded.cols, shape.join('×'), typeof readNpz);
