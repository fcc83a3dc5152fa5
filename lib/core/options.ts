/** Options that callers pass explicitly as undefined. */

/** The options without those that are undefined, so that defaults apply to them. */
export function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
