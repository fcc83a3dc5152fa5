/** Columns of yes and no, in words of several languages, as 1 and 0. */

/** How yes and no are written: words, the usual one first, letters, and a digit, which counts only beside words. */
interface Answers {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const answersOf = (yes: string, no: string): Answers => ({
  yes: [...yes.split(' '), '1'],
  no: [...no.split(' '), '0'],
});

/** English first: `no` and `n` alone are English. */
const languages: readonly Answers[] = [
  answersOf('true t', 'false f'),
  answersOf('yes y', 'no n'),
  answersOf('on', 'off'),
  answersOf('ja j', 'nein nee nej nei n'),
  answersOf('oui o', 'non n'),
  answersOf('sí si sì s', 'no n'),
  answersOf('sim s', 'não nao n'),
  answersOf('tak t', 'nie n'),
  answersOf('да', 'нет'),
  answersOf('是', '否'),
  answersOf('はい', 'いいえ'),
  answersOf('wahr w', 'falsch f'),
  answersOf('vrai v', 'faux f'),
  answersOf('verdadero verdadeiro vero v', 'falso f'),
];

/** Letters, sorted, that mean yes and no even without a word. Others may be classes, such as N and S. */
const letters = /^(f?t?|n?y?|jn)$/;

/** The numbers of a column of yes and no. */
export interface Booleans {
  /** 1 for yes, 0 for no, NaN for a missing value. */
  readonly values: Float64Array;
  /** How yes and no are written, or how they would be in this language. */
  readonly yes: string;
  readonly no: string;
}

/**
 * The numbers of a column of yes and no; null for any other column. Letters count beside a word; without one only T and F, Y and N,
 * or J and N do, since others may be classes.
 */
export function booleansOf(texts: readonly (string | null)[]): Booleans | null {
  /** The first spelling of each text, by its lower case. */
  const seen = new Map<string, string>();
  for (const text of texts) {
    if (text !== null && !seen.has(keyOf(text))) seen.set(keyOf(text), text);
    if (seen.size > mostSpellings) return null;
  }
  const found = [...seen.keys()].toSorted();
  const answers = languages.find(({ yes, no }) => found.every((text) => yes.includes(text) || no.includes(text)));
  if (!answers || found.length === 0) return null;
  const { yes, no } = answers;
  const hasWord = found.some(isWord);
  const sides = [yes, no].map((spellings) => found.filter((text) => spellings.includes(text)));
  if (areClasses(sides[0], sides[1]) || areClasses(sides[1], sides[0])) return null;
  if (!hasWord && !letters.test(found.join(''))) return null;
  const usual = (spellings: readonly string[]): string => {
    const same = spellings.filter((text) => isWord(text) === hasWord);
    return seen.get(same.find((text) => seen.has(text)) ?? '') ?? same[0];
  };
  const values = Float64Array.from(texts, (text) => (text === null ? NaN : Number(yes.includes(keyOf(text)))));
  return { values, yes: usual(yes), no: usual(no) };
}

/** More different texts than this are not spellings of two words. */
const mostSpellings = 12;

/** The text as it is compared: in lower case, with each accent in one character with its letter. */
function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * Whether these spellings of one answer are rather names of classes: two words that differ by more than accents, such as nein and nej, or a
 * short word with its letter, such as Si and S for elements, where the other answer has no word.
 */
function areClasses(side: readonly string[], other: readonly string[]): boolean {
  const words = new Set(side.filter(isWord).map((text) => text.normalize('NFD').replace(/\p{Mark}/gu, '')));
  if (words.size > 1) return true;
  const isShort = [...words].some((word) => word.length < 3);
  return isShort && side.some((text) => /^[a-z]$/.test(text)) && !other.some(isWord);
}

/** Whether a text is more than a letter or a digit. */
function isWord(text: string): boolean {
  return !/^[a-z\d]$/.test(text);
}
