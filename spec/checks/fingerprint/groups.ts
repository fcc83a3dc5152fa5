/** The groups of cases, and the environments that each one runs in. */

import { algebraCases } from './algebra.ts';
import { openApi } from './api.ts';
import { commandCases } from './commands.ts';
import { enter, type Environment, type EnvironmentName } from './environment.ts';
import { kernelCases } from './kernels.ts';
import { modelCases } from './models.ts';
import { networkCases } from './networks.ts';
import type { Case } from './record.ts';
import { solverCases } from './solver.ts';

interface Group {
  readonly environments: readonly EnvironmentName[];
  cases(root: string, environment: Environment): Promise<readonly Case[]>;
}

const everywhere = ['plain', 'simd', 'threads'] as const;

/** The longest first. */
export const groups = {
  commands: { environments: ['simd', 'plain'], cases: commandCases },
  train: inProcess(networkCases),
  fit: inProcess(modelCases),
  algebra: inProcess(algebraCases),
  solve: inProcess(solverCases),
  kernels: inProcess(kernelCases),
} as const satisfies Record<string, Group>;

export type GroupName = keyof typeof groups;

function inProcess(open: (api: Awaited<ReturnType<typeof openApi>>) => Promise<readonly Case[]>): Group {
  return {
    environments: everywhere,
    async cases(root, environment) {
      const api = await openApi(root);
      enter(api, environment);
      return open(api);
    },
  };
}
