/** Laplacian eigenmaps and diffusion maps of a graph: coordinates of its nodes from the eigenvectors of D⁻¹W. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { checkGraph, checkTwoNodes, type Graph } from '../../graph/graph.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  columns,
  constantFirst,
  eigensolverRules,
  spectrum,
  type SpectrumOptions,
} from '../../spectral/spectrum/spectrum.ts';

/** The number of coordinates, and options of the eigensolver. */
export interface EigenmapOptions extends Omit<SpectrumOptions, 'count' | 'laplacian'> {
  /** The number of coordinates, without the constant eigenvector. */
  readonly components: number;
}

/** The options of an eigenmap, and the length of the random walk. */
export interface GraphDiffusionOptions extends EigenmapOptions {
  /** The number of steps of the random walk. Default: 1. */
  readonly time?: number;
}

const eigenmapRules = { ...eigensolverRules, components: 'number' } as const satisfies Rules<EigenmapOptions>;
const diffusionRules: Rules<GraphDiffusionOptions> = { ...eigenmapRules, time: 'number' };

/** Coordinates of the nodes of a graph, from its eigenvectors. */
export interface Eigenmap {
  /** n×components, columns ψ₂, ψ₃, … of D⁻¹W with Σ dᵢψᵢ² = Σ dᵢ. */
  readonly embedding: Tensor<Float64Array>;
  /** The eigenvalues of these columns. */
  readonly eigenvalues: Float64Array;
  readonly residuals: Float64Array;
  readonly converged: boolean;
}

/**
 * The leading nontrivial eigenvectors of D⁻¹W, eq:eigen-map (Belkin & Niyogi). A graph of c components has the eigenvalue 1 c times. Only
 * the constant eigenvector is left out, so that the first coordinates then separate the components.
 */
export async function laplacianEigenmap(graph: Graph, options: EigenmapOptions): Promise<Eigenmap> {
  checkOptions('laplacianEigenmap', options, eigenmapRules);
  return embed('laplacianEigenmap', graph, options);
}

/** The columns of `laplacianEigenmap` times λᵗ, eq:diffusion-map. Distances are those between random walks after t steps (Coifman & Lafon). */
export async function diffusionMap(graph: Graph, options: GraphDiffusionOptions): Promise<Eigenmap> {
  checkOptions('diffusionMap', options, diffusionRules);
  const { time = 1, ...rest } = options;
  if (!(time >= 0 && Number.isFinite(time))) throw badValue('diffusionMap', 'a time of at least 0', time);
  const { embedding, ...found } = await embed('diffusionMap', graph, rest);
  if (!Number.isInteger(time) && found.eigenvalues.some((value) => value < 0)) {
    const got = `time ${time} and an eigenvalue ${found.eigenvalues.find((value) => value < 0)}`;
    throw badValue(
      'diffusionMap',
      'time to be a whole number where eigenvalues are negative',
      got,
      'Request fewer components.',
    );
  }
  for (let i = 0; i < embedding.size; i++) embedding.data[i] *= found.eigenvalues[i % embedding.cols] ** time;
  return { embedding, ...found };
}

async function embed(caller: string, graph: Graph, options: EigenmapOptions): Promise<Eigenmap> {
  checkGraph(caller, graph);
  const { components, ...rest } = options;
  checkTwoNodes(caller, graph);
  checkCount(caller, 'components', components, 1);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than nodes`, components);
  }
  const { values, vectors, residuals, converged } = await spectrum(graph, { ...rest, count: components + 1 });
  return {
    embedding: columns(constantFirst(graph, vectors), 1, components + 1),
    eigenvalues: values.slice(1),
    residuals: residuals.slice(1),
    converged,
  };
}
