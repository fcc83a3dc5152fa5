/** The kinds of flags: each reads and checks the text of a value. */

import { badValue, checkCount } from '../../core/check.ts';
import { isNumber } from '../../formats/csv/fields.ts';

export interface Flag<T> {
  readonly short?: string;
  /** The name of the value in help. A flag without one is boolean. */
  readonly value?: string;
  readonly help: string;
  /** Whether the value may begin with a dash. */
  readonly dashes?: boolean;
  /** Parses and checks the text of the value. Errors begin with `caller`. */
  read(caller: string, text: string): T;
}

/** Flags by name. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

export function booleanFlag(help: string): Flag<true> {
  return { help, read: () => true };
}

export function fileFlag(help: string): Flag<string> {
  return { value: 'FILE', help, read: (_caller, text) => text };
}

export function columnFlag(help: string): Flag<string> {
  return { value: 'NAME', help, read: (_caller, text) => text };
}

/** Names, or `what` else, separated by commas. A name that contains one is put in double quotes. */
export function columnsFlag(help: string, what = 'names of columns'): Flag<readonly string[]> {
  return {
    value: 'A,B,…',
    help,
    read(caller, text) {
      const names = [...text.matchAll(/\s*(?:"([^"]*)"|([^,"]+))\s*(?:,|$)/g)].map(
        ([, quoted, plain]) => quoted ?? plain.trim(),
      );
      if (names.length === 0) throw badValue(caller, what, `'${text}'`);
      return names;
    },
  };
}

export function choiceFlag<const T extends string>(choices: readonly T[], help: string): Flag<T> {
  return {
    value: choices.join('|'),
    help,
    read(caller, text) {
      const found = choices.find((word) => word === text);
      if (found === undefined) throw badValue(caller, oneOf(choices), `'${text}'`);
      return found;
    },
  };
}

/** Joins words as `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

export function countFlag(name: string, value: string, least: number, help: string): Flag<number> {
  return {
    value,
    help,
    read(caller, text) {
      const number = numberOf(text);
      if (!Number.isFinite(number)) throw badValue(caller, 'a whole number', `'${text}'`);
      checkCount(caller, name, number, least);
      return number;
    },
  };
}

export function positiveFlag(name: string, value: string, help: string): Flag<number> {
  return numberFlag(value, help, `${name} to be a number above 0`, (number) => number > 0 && number < Infinity);
}

export function fractionFlag(name: string, value: string, help: string): Flag<number> {
  return numberFlag(value, help, `${name} from 0 to 1`, (number) => number >= 0 && number <= 1);
}

/** A number for which `accepts` holds. The rule says so in words. */
function numberFlag(value: string, help: string, rule: string, accepts: (number: number) => boolean): Flag<number> {
  return {
    value,
    help,
    read(caller, text) {
      const number = numberOf(text);
      if (!accepts(number)) throw badValue(caller, rule, `'${text}'`);
      return number;
    },
  };
}

/** `auto`, or what another flag reads. */
export function orAuto<T>(value: string, help: string, other: Flag<T>): Flag<'auto' | T> {
  return { value, help, read: (caller, text) => (text === 'auto' ? text : other.read(caller, text)) };
}

/** The value of a decimal number. NaN for any other text. */
export function numberOf(text: string): number {
  return isNumber(text) ? Number(text) : NaN;
}
