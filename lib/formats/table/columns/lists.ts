/** Cells that hold several numbers each, such as "48.1,11.5" or "[0.1 0.2 0.3]", as columns of their own. */

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const between = String.raw`(?:\s*[,;]\s*|\s+)`;
const bracketed = new RegExp(String.raw`^[([]\s*${number}(?:${between}${number})*\s*[)\]]$`);
/** Without brackets, numbers have points, or a blank after the comma: "6,7" is a number with a decimal comma or thousands. */
const pointed = String.raw`[+-]?\d*\.\d+`;
const plain = new RegExp(String.raw`^${pointed}(?:\s*[,;]\s*${pointed})+$|^${number}(?:\s*[,;]\s+${number})+$`);

/** Longer lists stay text. */
const mostParts = 10_000;

/** The columns of the parts of lists that all have the same number of numbers, two or more; else null. Empty cells have empty parts. */
export function splitLists(cells: readonly string[]): readonly string[][] | null {
  const first = cells.find((text) => text !== '');
  const parts = first === undefined ? 0 : partsOf(first).length;
  if (parts < 2 || parts > mostParts) return null;
  const columns: string[][] = Array.from({ length: parts }, () => []);
  for (const text of cells) {
    const found = text === '' ? new Array<string>(parts).fill('') : partsOf(text);
    if (found.length !== parts) return null;
    for (let k = 0; k < parts; k++) columns[k].push(found[k]);
  }
  return columns;
}

/** The numbers of a list; none if the text is no list. */
function partsOf(text: string): string[] {
  if (!bracketed.test(text) && !plain.test(text)) return [];
  return text.replace(/^[([]\s*|\s*[)\]]$/g, '').split(/\s*[,;]\s*|\s+/);
}
