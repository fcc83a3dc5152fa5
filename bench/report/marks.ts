/** Puts figures of a recorded run into a document, between its marks. */

import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';

/**
 * Replaces the text between `<!-- figures: name -->` and `<!-- end -->` by the figures of that name. Leaves the rest
 * unchanged. Formats the document, which the file at `path` keeps, as all files of the project are formatted.
 */
export async function fillMarks(text: string, path: string, figuresOf: (name: string) => string): Promise<string> {
  const filled = text.replace(
    /(<!-- figures: (.*?) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${figuresOf(name)}\n\n${end}`,
  );
  const settings = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig;
  const { code, errors } = await format(path, filled, settings);
  if (errors.length > 0) throw new Error(`${path} cannot be formatted: ${errors[0]!.message}`);
  return code;
}
