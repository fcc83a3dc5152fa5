/** The search for rows by their name or the text of a field. */

import { fieldText, type Picture, rowName } from '../shared/picture.ts';

/** The first matching row at or after `from`, cyclically, or −1. An exact name wins over a text that contains the words. */
export function findRow(picture: Picture, words: string, from: number): number {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return -1;
  const { rows, fields } = picture;
  const matches = (test: (row: number) => boolean): number => {
    for (let i = 0; i < rows; i++) {
      const row = (from + i) % rows;
      if (test(row)) return row;
    }
    return -1;
  };
  const exact = matches((row) => rowName(picture, row).toLowerCase() === wanted || String(row + 1) === wanted);
  if (exact >= 0 && (picture.ids === null || rowName(picture, exact).toLowerCase() === wanted)) return exact;
  const texts = fields.filter(({ kind }) => kind !== 'numbers');
  const containing = matches(
    (row) =>
      rowName(picture, row).toLowerCase().includes(wanted) ||
      texts.some((field) => fieldText(field, row).toLowerCase().includes(wanted)),
  );
  return containing >= 0 ? containing : exact;
}
