/** What does the first line of a Matrix Market file say? Kept is what this library can hold; the rest is refused by name. */

import { badValue } from '../core/check.ts';

export interface MatrixMarketHeader {
  readonly format: 'coordinate' | 'array';
  readonly field: 'real' | 'integer' | 'pattern';
  readonly symmetry: 'general' | 'symmetric' | 'skew-symmetric';
}

/** `%%MatrixMarket matrix coordinate real general`, in upper or lower case. */
export function parseBanner(caller: string, line: string): MatrixMarketHeader {
  const words = line
    .trim()
    .toLowerCase()
    .split(/[ \t]+/);
  if (words[0] !== '%%matrixmarket') throw badValue(caller, '%%MatrixMarket at the start of line 1', excerpt(line));
  if (words.length !== 5) {
    throw badValue(caller, 'object, format, field and symmetry after %%MatrixMarket', excerpt(line));
  }
  const [, object, formatWord, fieldWord, symmetryWord] = words;
  if (object !== 'matrix') throw badValue(caller, "the object 'matrix' on line 1", object);
  const header = {
    format: choose(caller, 'format', formatWord, formats),
    field: choose(caller, 'field', fieldWord, fields),
    symmetry: choose(caller, 'symmetry', symmetryWord, symmetries),
  };
  if (header.field === 'pattern' && header.format === 'array') {
    throw badValue(caller, 'numbers in array format', 'the field pattern');
  }
  if (header.field === 'pattern' && header.symmetry === 'skew-symmetric') {
    throw badValue(caller, 'numbers in a skew-symmetric file', 'the field pattern');
  }
  return header;
}

/** A line as it can be shown in a message. */
export function excerpt(line: string): string {
  const plain = line.replace(/[^\x20-\x7e]/g, '?').trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}

type Reading<T> = T | { readonly refused: string };

const formats: Record<string, Reading<MatrixMarketHeader['format']>> = { coordinate: 'coordinate', array: 'array' };

const fields: Record<string, Reading<MatrixMarketHeader['field']>> = {
  real: 'real',
  double: 'real',
  integer: 'integer',
  'unsigned-integer': 'integer',
  pattern: 'pattern',
  complex: { refused: 'Matrices here are real: write the real and the imaginary part to two files.' },
};

const symmetries: Record<string, Reading<MatrixMarketHeader['symmetry']>> = {
  general: 'general',
  symmetric: 'symmetric',
  'skew-symmetric': 'skew-symmetric',
  hermitian: { refused: 'It belongs to complex matrices: a real one of the kind is symmetric.' },
};

function choose<T extends string>(caller: string, name: string, word: string, readings: Record<string, Reading<T>>): T {
  const reading = Object.hasOwn(readings, word) ? readings[word] : { refused: '' };
  if (typeof reading === 'string') return reading;
  const known = Object.keys(readings).filter((key) => typeof readings[key] === 'string');
  throw badValue(caller, `the ${name} on line 1 to be ${known.join(', ')}`, excerpt(word), reading.refused);
}
