/** Spec files that take more than 3 processor seconds. They start first, and the quick lane leaves them out. */

/** Processor seconds of each, those of its child processes included. */
export const slowFiles: Readonly<Record<string, number>> = {
  'spec/docs/page.spec.ts': 60,
  'spec/cli/graph-commands.spec.ts': 25,
  'spec/documents.spec.ts': 20,
  'spec/spectral/solve.spec.ts': 16,
  'spec/embedding/estimators.spec.ts': 15,
  'spec/wasm/twins.spec.ts': 12,
  'spec/theory/verify.spec.ts': 12,
  'spec/cli/reproduce-kill.spec.ts': 11,
  'spec/cli/embed.spec.ts': 9,
  'spec/embedding/auto-landmarks.spec.ts': 7,
  'spec/spectral/weight-scale.spec.ts': 9,
  'spec/embedding/model-schema.spec.ts': 7,
  'spec/worker/worker.spec.ts': 7,
  'spec/cli/reproduce.spec.ts': 8,
  'spec/theory/planted.spec.ts': 9,
  'spec/experiments/jobs.spec.ts': 7,
  'spec/wasm/threads.spec.ts': 7,
  'spec/linalg/lanczos.spec.ts': 7,
  'spec/linalg/multilevel.spec.ts': 8,
  'spec/spectral/solver-choice.spec.ts': 5,
  'spec/consumers/consumers.spec.ts': 8,
  'spec/consumers/package.spec.ts': 6,
  'spec/formats/matrix-fuzz.spec.ts': 6,
  'spec/wasm/compression.spec.ts': 5,
  'spec/spectral/regression.spec.ts': 5,
  'spec/cli/commands.spec.ts': 5,
  'spec/embedding/distances.spec.ts': 5,
  'spec/embedding/clusters.spec.ts': 6,
  'spec/embedding/variable-bandwidth.spec.ts': 6,
  'spec/embedding/diffusion.spec.ts': 8,
  'spec/graph/neighbors.spec.ts': 4,
  'spec/graph/metrics.spec.ts': 4,
  'spec/spectral/ritz-head.spec.ts': 4,
  'spec/cli/outputs.spec.ts': 4,
  'spec/cli/reproduce-lock.spec.ts': 5,
  'spec/cli/document.spec.ts': 4,
  'spec/worker/node.spec.ts': 4,
  'spec/campaign.spec.ts': 13,
  'spec/embedding/estimator-checks.spec.ts': 5,
  'spec/embedding/spectral.spec.ts': 4,
  'spec/size.spec.ts': 4,
  'spec/runner/runner.spec.ts': 4,
  'spec/theory/eigenfunctions.spec.ts': 4,
  'spec/spectral/ritz-rank.spec.ts': 4,
  'spec/spectral/corrected.spec.ts': 4,
};

/**
 * Files that run without coverage. It counts every pass through a loop, which doubles the time of plain kernels, and other files
 * run the same lines.
 */
export const uncoveredFiles: ReadonlySet<string> = new Set([
  'spec/cli/embed.spec.ts',
  'spec/cli/graph-commands.spec.ts',
  'spec/embedding/diffusion.spec.ts',
  'spec/embedding/estimators.spec.ts',
  'spec/embedding/spectral.spec.ts',
  'spec/embedding/variable-bandwidth.spec.ts',
  'spec/experiments/jobs.spec.ts',
  'spec/linalg/lanczos.spec.ts',
  'spec/linalg/multilevel.spec.ts',
  'spec/spectral/alternation.spec.ts',
  'spec/spectral/regression.spec.ts',
  'spec/spectral/solve.spec.ts',
  'spec/spectral/solver-choice.spec.ts',
  'spec/spectral/weight-scale.spec.ts',
  'spec/theory/planted.spec.ts',
  'spec/theory/verify.spec.ts',
  'spec/wasm/compression.spec.ts',
  'spec/wasm/twins.spec.ts',
]);

/** A file that is not listed and takes longer than this, in seconds, is mentioned at the end of a run. */
export const mentionAfter = 10;
