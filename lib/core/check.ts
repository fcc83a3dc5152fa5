/** Checks of arguments. Every error message names the caller, the rule, the value and, if there is one, the remedy. */

/** The error for a value outside its range: `caller: expected rule, got value. remedy`. */
export function badValue(caller: string, expected: string, got: unknown, remedy = ''): RangeError {
  return new RangeError(describe(caller, expected, got, remedy));
}

/** The error for a value of the wrong type, with the same message as `badValue`. */
export function badKind(caller: string, expected: string, got: unknown, remedy = ''): TypeError {
  return new TypeError(describe(caller, expected, got, remedy));
}

const largestCount = 0x7fffffff;

/** Refuses anything but a whole number from `least` to 2³¹ − 1, the largest signed 32-bit index. */
export function checkCount(caller: string, name: string, value: number, least = 0): void {
  if (typeof value !== 'number') throw badKind(caller, `${name} to be a number`, value);
  if (!Number.isSafeInteger(value) || value < least) {
    throw badValue(caller, `${name} to be a whole number, at least ${least}`, value);
  }
  if (value > largestCount) throw badValue(caller, `${name} to be at most ${largestCount}`, value);
}

/** Refuses NaN and infinities. The message locates the first one, by row and column if `cols` > 1. */
export function checkFinite(caller: string, name: string, values: ArrayLike<number>, cols = 1): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      throw badValue(
        caller,
        `finite numbers in ${name}`,
        `${values[i]} at ${cols > 1 ? placeOf(i, cols) : `index ${i}`}`,
      );
    }
  }
}

/** The row and column of entry i of a row-major matrix with `cols` columns, in words. */
export function placeOf(i: number, cols: number): string {
  return `row ${Math.floor(i / cols)}, column ${i % cols}`;
}

/** Refuses a value that is not in the list of choices. */
export function checkChoice(caller: string, name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) {
    throw badValue(caller, `${name} to be ${choices.map((c) => `'${c}'`).join(' or ')}`, value);
  }
}

/** Refuses anything but an object, and refuses arrays. */
export function checkObject(caller: string, value: object, expected: string): void {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (typeof value !== 'object' || value === null || isList) throw badKind(caller, expected, value);
}

/** `2×3`, `5`, or `a single number` for the empty shape. */
export function showShape(shape: readonly number[]): string {
  return shape.length === 0 ? 'a single number' : shape.join('×');
}

/** Text from a file, shortened and restricted to printable ASCII, for error messages. */
export function excerpt(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?').trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}

function describe(caller: string, expected: string, got: unknown, remedy: string): string {
  return `${caller}: expected ${expected}, got ${show(got)}.${remedy && ` ${remedy}`}`;
}

function show(got: unknown): string {
  if (typeof got === 'string') return got === '' ? "''" : got;
  if (typeof got === 'number' || got === null || got === undefined || typeof got === 'boolean') return String(got);
  if (Array.isArray(got)) return `an array of length ${got.length}`;
  if (typeof got === 'object') return got.constructor?.name ?? 'an object';
  return typeof got;
}
