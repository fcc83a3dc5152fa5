/** Spec files that take more than a few seconds. They start first, and the quick lane leaves them out. */

/** Processor seconds of each, of its child processes too. */
export const slowFiles: Readonly<Record<string, number>> = {
  'spec/docs/page.spec.ts': 90,
  'spec/documents.spec.ts': 73,
  'spec/cli/graph-commands.spec.ts': 25,
  'spec/spectral/solve.spec.ts': 16,
  'spec/embedding/estimators.spec.ts': 15,
  'spec/wasm/twins.spec.ts': 12,
  'spec/theory/verify.spec.ts': 12,
  'spec/cli/reproduce-kill.spec.ts': 11,
  'spec/cli/embed.spec.ts': 9,
  'spec/cli/reproduce.spec.ts': 8,
  'spec/theory/planted.spec.ts': 8,
  'spec/experiments/jobs.spec.ts': 7,
  'spec/wasm/threads.spec.ts': 7,
  'spec/sparse/fuzz.spec.ts': 6,
  'spec/wasm/gaps.spec.ts': 5,
};

/** A file that is not listed and takes longer than this, in seconds, is mentioned at the end of a run. */
export const mentionAfter = 10;
