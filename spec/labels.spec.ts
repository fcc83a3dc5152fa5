/** Comments cite every labeled equation of the paper where it is computed, and no label that the paper does not have. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('labels');

/** All labels of equations in the paper, with the file below lib that computes each. */
const labels: Readonly<Record<string, string>> = {
  'kernel-W': 'graph/affinity/compact-affinity.ts',
  'eigen-map': 'embedding/eigenmaps/eigenmap.ts',
  'diffusion-map': 'embedding/eigenmaps/eigenmap.ts',
  specnet1: 'spectral/descent/objective.ts',
  'specnet1-batch': 'spectral/descent/view.ts',
  nnY: 'spectral/descent/rows/network-rows.ts',
  evp: 'spectral/pencil/pencil.ts',
  uopt: 'spectral/descent/objective.ts',
  gradY: 'spectral/descent/objective.ts',
  decouple: 'spectral/ritz/ritz.ts',
  uopt2: 'spectral/ritz/quality.ts',
  gradY2: 'spectral/ritz/quality.ts',
  gradYlocal: 'spectral/descent/objective.ts',
  iterYlocal: 'spectral/descent/rows/free-rows.ts',
  gradYfull: 'spectral/descent/objective.ts',
  iterYfull: 'spectral/descent/rows/free-rows.ts',
  'def-B-nbh': 'spectral/descent/view.ts',
  gradYneighbor: 'spectral/descent/objective.ts',
  iterYneighbor: 'spectral/descent/rows/free-rows.ts',
  minimizerY: 'spectral/ritz/quality.ts',
  stationarycond: 'theory/statements/landscape/stationary.ts',
  stationarypoints: 'theory/instances/landscape.ts',
  globalminimizers: 'theory/instances/landscape.ts',
  gradYlocal1: 'spectral/descent/objective.ts',
  iterYlocal1: 'spectral/descent/rows/free-rows.ts',
  gradYfull1: 'spectral/descent/objective.ts',
  iterYfull1: 'spectral/descent/rows/free-rows.ts',
  gradYneighbor1: 'spectral/descent/objective.ts',
  iterYneighbor1: 'spectral/descent/rows/free-rows.ts',
  relativeerror: 'linalg/subspace.ts',
};

/** The labels in the comments of a file. */
function citedIn(file: string): string[] {
  const comments = readFileSync(`lib/${file}`, 'utf8').match(/\/\*\*?[^]*?\*\/|(?:^|\s)\/\/ .*$/gm) ?? [];
  return comments.flatMap((comment) => Array.from(comment.matchAll(/\beq:([\w-]+)/g), ([, label]) => label));
}

test('every label stands in the file that computes its equation', () => {
  for (const [label, file] of Object.entries(labels)) {
    assert.ok(citedIn(file).includes(label), `lib/${file} does not cite eq:${label}`);
  }
});

test('no other label is cited', () => {
  const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    for (const label of citedIn(file)) assert.ok(label in labels, `lib/${file} cites eq:${label}`);
  }
});

test.run();
