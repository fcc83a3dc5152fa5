/** The first line of a Matrix Market file: format, field and symmetry. Refuses what CsrMatrix cannot represent. */

import { badValue, excerpt } from '../../core/check.ts';

export interface MatrixMarketHeader {
  readonly array: boolean;
  readonly integer: boolean;
  readonly pattern: boolean;
  readonly symmetry: string;
  /** The factor of mirrored entries: 1 if symmetric, −1 if skew-symmetric, 0 if entries are not mirrored. */
  readonly mirror: number;
}

const known = {
  format: ['coordinate', 'array'],
  field: ['real', 'double', 'integer', 'unsigned-integer', 'pattern'],
  symmetry: ['general', 'symmetric', 'skew-symmetric'],
};

const remedies = new Map([
  ['complex', 'Write real and imaginary part to two files.'],
  ['hermitian', 'A real Hermitian matrix is symmetric.'],
]);

/** Parses `%%MatrixMarket matrix coordinate real general`, in upper or lower case. */
export function parseBanner(caller: string, line: string): MatrixMarketHeader {
  const [banner, object, ...words] = line
    .trim()
    .toLowerCase()
    .split(/[ \t]+/);
  if (banner !== '%%matrixmarket') throw badValue(caller, '%%MatrixMarket at the start of line 1', excerpt(line));
  if (words.length !== 3) {
    throw badValue(caller, 'object, format, field and symmetry after %%MatrixMarket', excerpt(line));
  }
  if (object !== 'matrix') throw badValue(caller, "the object 'matrix' on line 1", object);
  for (const [k, [name, choices]] of Object.entries(known).entries()) {
    if (choices.includes(words[k])) continue;
    const rule = `the ${name} on line 1 to be ${choices.join(', ')}`;
    throw badValue(caller, rule, excerpt(words[k]), remedies.get(words[k]));
  }
  const [format, field, symmetry] = words;
  const array = format === 'array';
  const pattern = field === 'pattern';
  const mirror = symmetry === 'general' ? 0 : symmetry === 'symmetric' ? 1 : -1;
  if (pattern && (array || mirror < 0)) {
    throw badValue(caller, `numbers in ${array ? 'array format' : `a ${symmetry} file`}`, 'the field pattern');
  }
  return { array, integer: field.endsWith('integer'), pattern, symmetry, mirror };
}
