/** The line by which a process says that the tests of a spec file have ended, and how many passed. */

export interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

const mark = '\u{1e}spec file ended';

export function describeEnd({ total, passed, skipped }: Counts): string {
  return `\n${mark}: ${total} ${passed} ${skipped}`;
}

/** What was written up to the first such line, its numbers, and what follows; null if there is no such line. */
export function splitAtEnd(output: string): { before: string; counts: Counts; after: string } | null {
  const found = new RegExp(`\n${mark}: (\\d+) (\\d+) (\\d+)\n`).exec(output);
  if (!found) return null;
  const [total, passed, skipped] = found.slice(1).map(Number);
  const before = output.slice(0, found.index);
  return { before, counts: { total, passed, skipped }, after: output.slice(found.index + found[0].length) };
}
