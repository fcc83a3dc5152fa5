/** Cases of `solve` and `rayleighRitz`: every method, scheme, precision, pencil, step and rotation on a small graph. */

import type { SolveOptions, SolverState, StepRule } from '../../../lib/doors/solver.ts';
import { type Api, rotationOptions, solutionFlops, solutionParts } from './api.ts';
import { normalMatrix, openInputs } from './inputs.ts';
import type { Case, Parts } from './record.ts';

type Options = Partial<SolveOptions>;
type Named = readonly [name: string, options: Options];

const methods = ['specnet1', 'specnet2'] as const;
const schemes = ['local', 'full', 'neighbor'] as const;
const precisions = ['single', 'double'] as const;
const pencils = ['random-walk', 'symmetric'] as const;
/** Constant step lengths that neither diverge nor stagnate on this graph. */
const steps = { specnet1: 0.2, specnet2: 2 } as const;
const components = 2;

export async function solverCases(api: Api): Promise<readonly Case[]> {
  const { moon, moonGraph: graph } = await openInputs(api);
  const large = await api.buildGraph(api.oneMoon({ n: 3000, seed: 2 }).points, { kind: 'self-tuned', neighbors: 32 });
  const flops: number[] = [];
  const solveOn = async (on: typeof graph, options: Options) => {
    const solution = await api.solve(on, { components, epochs: 3, seed: 1, clock: () => 0, ...options });
    flops.push(...solutionFlops(solution));
    return solution;
  };
  const resumed = async (options: Options): Promise<Parts> => {
    const { state } = await solveOn(graph, { ...options, epochs: 2 });
    return solutionParts(await solveOn(graph, { ...options, from: state as SolverState, epochs: 4 }));
  };
  const reference = await api.spectrum(graph, { count: components + 1 });
  const start = normalMatrix(api, graph.size, components, 'start');
  const listed: readonly Named[] = [
    ...everyScheme(),
    ...stepRules(),
    ...rotations(),
    ...others(),
    ['start', { step: 2, start }],
    ['reference', { step: 2, reference }],
    ['reference auto', { reference }],
  ];
  return [
    ...listed.map(([name, options]): Case => [name, async () => solutionParts(await solveOn(graph, options))]),
    ...resumable().map(([name, options]): Case => [`resume ${name}`, () => resumed(options)]),
    ...shareable().map(([name, options]): Case => [
      `large ${name}`,
      async () => solutionParts(await solveOn(large, options)),
    ]),
    ['step too large', () => tooLarge(() => solveOn(graph, { step: 1000 }))],
    ...pencils.map((pencil): Case => ['rayleighRitz ' + pencil, () => ritzParts(pencil, true)]),
    ['rayleighRitz not deflated', () => ritzParts('random-walk', false)],
    ['rayleighRitz of the points', () => ritzOf(moon, {})],
    ['rayleighRitz with reference', () => ritzOf(start, { reference })],
    ['flops', () => ({ flops })],
  ];

  function ritzParts(pencil: (typeof pencils)[number], deflate: boolean): Parts {
    return ritzOf(start, { pencil, deflate });
  }

  function ritzOf(y: typeof start, options: Parameters<Api['rayleighRitz']>[2]): Parts {
    const { eigenvalues, eigenvectors, residuals, f1, f2, gap, errors } = api.rayleighRitz(graph, y, options);
    const measured = [f1, f2, gap?.f1 ?? 0, gap?.f2 ?? 0, ...(errors ?? [])];
    return { eigenvalues, residuals, measured, eigenvectors: eigenvectors.data };
  }

  async function tooLarge(run: () => Promise<unknown>): Promise<Parts> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof api.StepTooLarge)) throw error;
      return { facts: [error.step, error.epoch, error.worked ?? NaN] };
    }
    throw new Error('fingerprint: expected StepTooLarge, got a solution.');
  }
}

/** Constant steps and 'auto' for each method and scheme, in both precisions and pencils. */
function everyScheme(): Named[] {
  return methods.flatMap((method) =>
    schemes.flatMap((scheme) => [
      ...precisions.flatMap((precision) => [
        ...pencils.map((pencil): Named => [
          `${method} ${scheme} ${precision} ${pencil}`,
          { method, scheme, precision, pencil, step: steps[method] },
        ]),
        [`${method} ${scheme} ${precision} auto`, { method, scheme, precision }] as const,
      ]),
      [`${method} ${scheme} not deflated`, { method, scheme, step: steps[method], deflate: false }] as const,
      [`${method} ${scheme} auto not deflated`, { method, scheme, deflate: false, pencil: 'symmetric' }] as const,
    ]),
  );
}

/** Conjugate gradients, line searches and preconditioners. */
function stepRules(): Named[] {
  const rules: Record<string, StepRule> = {
    'degree search': { precondition: 'degree', length: 'search' },
    'plain search': { precondition: 'none', length: 'search' },
    'gram search': { precondition: 'gram', length: 'search' },
    'degree constant': { precondition: 'degree', length: 0.1 },
    'gram constant': { precondition: 'gram', length: 1 },
  };
  return [
    ...precisions.flatMap((precision) =>
      pencils.flatMap((pencil) =>
        (['full', 'neighbor'] as const).map((scheme): Named => [
          `conjugate ${scheme} ${precision} ${pencil}`,
          { step: 'conjugate', scheme, precision, pencil },
        ]),
      ),
    ),
    ['conjugate not deflated', { step: 'conjugate', deflate: false }],
    ['conjugate accelerated', { step: 'conjugate', accelerate: true }],
    ...Object.entries(rules).flatMap(([name, step]) =>
      schemes.flatMap((scheme) =>
        precisions.map((precision): Named => [`${name} ${scheme} ${precision}`, { step, scheme, precision }]),
      ),
    ),
    ['columns', { step: { precondition: 'columns', length: 1.5 }, accelerate: true }],
  ];
}

/** What SpecNet1 makes orthogonal, and when. */
function rotations(): Named[] {
  return schemes.flatMap((scheme) =>
    (['gram', 'support'] as const).flatMap((orthogonalize) =>
      (['before', 'after'] as const).flatMap((rotate) =>
        precisions.map((precision): Named => [
          `specnet1 ${scheme} ${precision} ${orthogonalize} ${rotate}`,
          {
            method: 'specnet1',
            scheme,
            precision,
            step: 0.2,
            pencil: precision === 'single' ? 'symmetric' : 'random-walk',
            ...rotationOptions(orthogonalize, rotate),
          },
        ]),
      ),
    ),
  );
}

/** Batch orders, batch sizes, numbers of columns, guards. */
function others(): Named[] {
  return [
    ...methods.flatMap((method) =>
      (['cyclic', 'random'] as const).map((order): Named => [
        `${method} ${order}`,
        { method, order, step: steps[method], precision: 'single' },
      ]),
    ),
    ...methods.flatMap((method) =>
      [1, 3, 4, 5, 8, 9, 12].flatMap((width) =>
        precisions.map((precision): Named => [
          `${method} K = ${width} ${precision}`,
          { method, components: width, precision, step: steps[method] },
        ]),
      ),
    ),
    ...schemes.map((scheme): Named => [`K = 10 auto ${scheme}`, { components: 10, scheme, precision: 'single' }]),
    ['batch 1', { batch: 1, step: 2, epochs: 1 }],
    ['batch of all rows', { batch: 300, step: 2, precision: 'single' }],
    ['batch 70', { batch: 70, step: 2, scheme: 'local' }],
    ['accelerated constant step', { step: 2, accelerate: true }],
    ['guard 3', { guard: 3 }],
    ['guard 0', { guard: 0, precision: 'single' }],
    ...methods.flatMap((method) =>
      precisions.map((precision): Named => [
        `${method} ${precision} until converged`,
        { method, precision, epochs: 200 },
      ]),
    ),
    ['conjugate until converged', { step: 'conjugate', epochs: 100 }],
  ];
}

/** Solutions to resume. */
function resumable(): Named[] {
  return [
    ...methods.flatMap((method) =>
      precisions.map((precision): Named => [`${method} ${precision}`, { method, precision, step: steps[method] }]),
    ),
    ['auto', {}],
    ['auto specnet1', { method: 'specnet1', precision: 'single' }],
    ['conjugate', { step: 'conjugate' }],
    ['random order', { step: 2, order: 'random', pencil: 'symmetric' }],
    ['local', { step: 2, scheme: 'local', deflate: false }],
  ];
}

/** Large enough that threads share kernel calls. */
function shareable(): Named[] {
  return [
    ['auto single', { components: 10, precision: 'single', epochs: 2 }],
    ['auto double', { components: 10, epochs: 2 }],
    ['conjugate single', { components: 10, precision: 'single', step: 'conjugate', epochs: 2 }],
    [
      'specnet1 full',
      { components: 10, precision: 'single', method: 'specnet1', scheme: 'full', epochs: 2, step: 0.2 },
    ],
  ];
}
