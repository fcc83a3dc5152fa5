/** Binary search in ascending lists. */

/** The first index in from … to − 1 whose number is at least `value`; `to` if there is none. */
export function firstAtLeast(list: ArrayLike<number>, value: number, from = 0, to = list.length): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (list[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
