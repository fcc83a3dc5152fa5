/** Puts figures of a recorded run into a document, between its marks. */

import { format, resolveConfig } from 'prettier';

/**
 * Replaces the text between `<!-- figures: name -->` and `<!-- end -->` by the figures of that name. Leaves the rest
 * unchanged. Formats the document as the file at `path` is formatted.
 */
export async function fillMarks(text: string, path: string, figuresOf: (name: string) => string): Promise<string> {
  const filled = text.replace(
    /(<!-- figures: (.*?) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${figuresOf(name)}\n\n${end}`,
  );
  return format(filled, { ...(await resolveConfig(path)), parser: 'markdown' });
}
