/** The names of options in messages about tables, as options of the library or as flags of the command line. */

/** The names of the caller and of options in messages. */
export interface Wording {
  /** Errors begin with it. */
  readonly caller: string;
  /** An option with a value, or several values if it is a list, as the user would write it. */
  option(name: OptionName, ...values: readonly string[]): string;
}

/** The options that messages about tables name. */
export type OptionName =
  | 'label'
  | 'id'
  | 'columns'
  | 'ignore'
  | 'categorical'
  | 'missing'
  | 'missingValues'
  | 'delimiter'
  | 'decimal'
  | 'header';

/** The options that take several values. */
export const listOptions: ReadonlySet<OptionName> = new Set(['columns', 'ignore', 'categorical', 'missingValues']);

/** `missing: 'mean'`, `ignore: ['a']`, `header: false`. */
export function libraryWording(caller: string): Wording {
  return {
    caller,
    option: (name, ...values) => {
      if (name === 'header') return `header: ${values[0]}`;
      const quoted = values.map((value) => `'${value}'`).join(', ');
      return listOptions.has(name) ? `${name}: [${quoted}]` : `${name}: ${quoted}`;
    },
  };
}

/** Names in quotes, separated by commas; the first eight of them. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => `'${name}'`);
  return shown.join(', ') + (names.length > 8 ? `, … (${names.length} in all)` : '');
}

/** `1 row`, `2 rows`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}
