/** A worker that tests the paper's statements on the user's graph, one after another, until a new graph arrives. */

import { graphFrom } from '../../lib/graph/graph.ts';
import { fromTriplets } from '../../lib/sparse/build.ts';
import type { Evidence, Statement } from '../../lib/theory/instances/statement.ts';
import { type StatementName, statements } from '../../lib/theory/statements.ts';
import { verify } from '../../lib/theory/verify.ts';

export interface SmallGraph {
  /** Copied to the answers, so that answers about an earlier graph are recognized. */
  readonly version: number;
  readonly size: number;
  /** Each edge appears once. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

export type Verdicts =
  | { readonly kind: 'evidence'; readonly version: number; readonly evidence: Evidence }
  /** No instance meets the assumptions of the statement. */
  | { readonly kind: 'empty'; readonly version: number; readonly statement: string; readonly claim: string }
  | { readonly kind: 'end'; readonly version: number; readonly seconds: number }
  | { readonly kind: 'failed'; readonly version: number; readonly message: string };

/** Trials per statement: the graph with random numbers of columns and random starts. */
const instances = 24;

const scope = self as unknown as {
  postMessage(verdicts: Verdicts, transfer: Transferable[]): void;
  addEventListener(kind: 'message', listener: (event: MessageEvent<SmallGraph>) => void): void;
};

/** The statements about any small pencil. Others need larger graphs and more time. */
const names = (Object.keys(statements) as StatementName[]).filter((name) => statements[name].about === 'pencils');
let newest = -1;

async function look({ version, size, edges }: SmallGraph): Promise<void> {
  const tell = (verdicts: Verdicts): void => scope.postMessage(verdicts, []);
  const start = performance.now();
  try {
    const both = edges.flatMap(({ from, to, weight }) => [
      [from, to, weight],
      [to, from, weight],
    ]);
    const column = (c: number): number[] => both.map((entry) => entry[c]);
    const triplets = { rows: column(0), columns: column(1), values: column(2) };
    const graph = graphFrom(fromTriplets(triplets, [size, size], 'double'));
    for (const name of names) {
      const [evidence] = await verify([name], { graph, instances });
      await new Promise((resolve) => setTimeout(resolve));
      if (newest !== version) return;
      const { claim }: Statement = statements[name];
      tell(evidence ? { kind: 'evidence', version, evidence } : { kind: 'empty', version, statement: name, claim });
    }
    tell({ kind: 'end', version, seconds: (performance.now() - start) / 1000 });
  } catch (error) {
    tell({ kind: 'failed', version, message: error instanceof Error ? error.message : String(error) });
  }
}

scope.addEventListener('message', ({ data }) => {
  newest = data.version;
  void look(data);
});
