/** Groups of indices. */

/** The indices by their keys, in the order of the first of each group. */
export function groupBy(indices: Iterable<number>, keyOf: (index: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const index of indices) {
    const key = keyOf(index);
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return groups;
}
