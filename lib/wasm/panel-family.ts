/** The family of kernels on dense panels of sparse factorizations. A file of its own, since it is loaded with the factorization. */

import { plainPanels } from '../kernels/panels.ts';
import { kernelFamily } from './simd.ts';
import { definePanels, panelTwins } from './simd/panels/panels.ts';

export const panelKernels = /* @__PURE__ */ kernelFamily(plainPanels, definePanels, panelTwins);
