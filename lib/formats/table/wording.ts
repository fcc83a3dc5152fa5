/** How messages about tables name the options that help: as options of the library, or as flags of the command line. */

/** How messages name the caller and the options. */
export interface Wording {
  /** Errors begin with it. */
  readonly caller: string;
  /** An option with a value, as the user would write it. */
  option(name: OptionName, value: string): string;
}

/** The options that messages about tables name. */
export type OptionName =
  'label' | 'id' | 'columns' | 'ignore' | 'categorical' | 'missing' | 'delimiter' | 'decimal' | 'header';

const lists: ReadonlySet<OptionName> = new Set(['columns', 'ignore', 'categorical']);

/** `missing: 'mean'`, `ignore: ['a']`, `header: false`. */
export function libraryWording(caller: string): Wording {
  return {
    caller,
    option: (name, value) => {
      if (name === 'header') return `header: ${value}`;
      return lists.has(name) ? `${name}: ['${value}']` : `${name}: '${value}'`;
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
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
