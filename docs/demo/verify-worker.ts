/** A worker that tests the paper's statements on the user's graph, one after another, until the call is aborted. */

import { graphFrom } from '../../lib/graph/graph.ts';
import { fromTriplets } from '../../lib/sparse/build.ts';
import type { Statement } from '../../lib/theory/instances/statement.ts';
import { type StatementName, statements } from '../../lib/theory/statements.ts';
import { verify } from '../../lib/theory/verify.ts';
import { answerCalls, plainClasses } from '../../lib/worker/calls.ts';
import { portToOwner } from '../../lib/worker/ports.ts';
import type { VerifyCalls } from './verify-calls.ts';

/** Trials per statement: the graph with random numbers of columns and random starts. */
const instances = 24;

/** The statements about any small pencil. Others need larger graphs and more time. */
const names = (Object.keys(statements) as StatementName[]).filter((name) => statements[name].about === 'pencils');

answerCalls<VerifyCalls>(portToOwner(), plainClasses, {
  verify: async ({ size, edges }, { notify, signal }) => {
    const start = performance.now();
    const both = edges.flatMap(({ from, to, weight }) => [
      [from, to, weight],
      [to, from, weight],
    ]);
    const column = (c: number): number[] => both.map((entry) => entry[c]);
    const triplets = { rows: column(0), columns: column(1), values: column(2) };
    const graph = graphFrom(fromTriplets(triplets, [size, size], 'double'));
    for (const name of names) {
      const [evidence = null] = await verify([name], { graph, instances, signal });
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      const { claim }: Statement = statements[name];
      notify({ statement: name, claim, evidence });
    }
    return (performance.now() - start) / 1000;
  },
});
