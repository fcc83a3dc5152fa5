/** The classes whose instances and errors go between an embedding's worker and its owner. */

import { NotPositiveDefinite } from '../linalg/cholesky.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { Classes } from './calls.ts';
import type { SentClass } from './pack.ts';

const tensors: SentClass = {
  type: Tensor,
  fields: ({ data, shape }: Tensor) => ({ data, shape }),
  make: ({ data, shape }: Tensor) => new Tensor(data, shape),
};

const sparseMatrices: SentClass = {
  type: CsrMatrix,
  fields: ({ rows, cols, starts, columns, values }: CsrMatrix) => ({ rows, cols, starts, columns, values }),
  make: ({ rows, cols, starts, columns, values }: CsrMatrix) => new CsrMatrix(rows, cols, starts, columns, values),
};

export const embeddingClasses: Classes = {
  values: { tensor: tensors, csr: sparseMatrices },
  errors: { NotPositiveDefinite },
};
