/** Mistakes that the compiler must find. */

import { SpectralEmbedding } from 'specnet';

const embedding = new SpectralEmbedding({ components: 2 });
// @ts-expect-error text is not a table of points
await embedding.fit('hello');
// @ts-expect-error an object without numbers is not a table of points
await embedding.fit({ nonsense: 1 });
// @ts-expect-error a number is not a table of points
await embedding.fit(42);
// @ts-expect-error an unknown option
export const misspelled = new SpectralEmbedding({ component: 2 });
