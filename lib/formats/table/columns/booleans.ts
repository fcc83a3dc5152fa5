/** Columns of yes and no, in words of several languages, as 1 and 0. */

/** Words, letters and a digit for yes, and those for no. The first is the usual word; a digit counts beside words only. */
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

/** Letters, in alphabetical order, that mean yes and no without a word among them. Others may be classes, such as N and S. */
const letters = /^(f?t?|n?y?|jn)$/;

/** The numbers of a column of yes and no. */
export interface Booleans {
  /** 1 for yes, 0 for no, NaN for a missing value. */
  readonly values: Float64Array;
  /** How yes and no are written, or how they would be in this language. */
  readonly yes: string;
  readonly no: string;
}

/** 1 and 0 for a column of yes and no. Letters and words may be mixed if there is a word among them, else they may be classes. */
export function booleansOf(texts: readonly (string | null)[]): Booleans | null {
  /** The first spelling of each text, by its lower case. */
  const seen = new Map<string, string>();
  for (const text of texts) {
    if (text !== null && !seen.has(text.toLowerCase())) seen.set(text.toLowerCase(), text);
    if (seen.size > mostSpellings) return null;
  }
  const found = [...seen.keys()].toSorted();
  const answers = languages.find(({ yes, no }) => found.every((text) => yes.includes(text) || no.includes(text)));
  if (!answers || found.length === 0) return null;
  const hasWord = found.some(isWord);
  if (!hasWord && !letters.test(found.join(''))) return null;
  const usual = (spellings: readonly string[]): string => {
    const same = spellings.filter((text) => isWord(text) === hasWord);
    return seen.get(same.find((text) => seen.has(text)) ?? '') ?? same[0];
  };
  const { yes, no } = answers;
  const values = Float64Array.from(texts, (text) => (text === null ? NaN : Number(yes.includes(text.toLowerCase()))));
  return { values, yes: usual(yes), no: usual(no) };
}

/** More different texts than this are not spellings of two words. */
const mostSpellings = 12;

/** Whether a text is more than a letter or a digit. */
function isWord(text: string): boolean {
  return !/^[a-z\d]$/.test(text);
}
