/** Tries of CSV: generated tables with quotes, blanks and odd numbers, changed by words and bytes. */

import { gzipSync } from 'node:zlib';
import type { Random } from '../../../../lib/index.ts';
import { readCsv, type Separator } from '../../../../lib/doors/formats.ts';
import { mutate, textMutations } from '../../../formats/mutations.ts';
import { attempted, type Kind, type Means, Misread, pick, requireSame } from '../kind.ts';

export async function openCsv({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const separator = pick(random, [',', ',', ';', '\t'] as const);
      const options = { separator, header: random.integer(2) === 0, isLabeled: random.integer(3) === 0 };
      const text = new TextEncoder().encode(anyCsv(random, options));
      const bytes = random.integer(3) === 0 ? text : mutate(random, text, textMutations);
      const given = random.integer(8) === 0 ? new Uint8Array(gzipSync(bytes)) : bytes;
      const read = await attempted(() =>
        readCsv(given, {
          separator,
          header: options.header,
          comment: null,
          precision: 'double',
          ...(options.isLabeled && { label: -1 }),
        }),
      );
      if (!read) return 'refused';
      if (!reader) return 'accepted';
      const expected = await reader.read('csv', bytes, { separator, header: options.header, label: options.isLabeled });
      if (!expected) return 'unread';
      const { points, labels, labelNames, columnNames } = read;
      if (points.shape.join() !== expected.shape.join()) {
        throw new Misread(`shape ${points.shape} instead of ${expected.shape}`);
      }
      requireSame(points.data, expected.numbers, 'points');
      const facts = expected.facts as { labels: string[] | null; names: string[] | null };
      // Labels that are whole numbers have no names.
      if (labels && !labelNames)
        requireSame(
          labels,
          Float64Array.from(facts.labels!, (label) => Number(label) + 0),
          'labels',
        );
      else requireWords(labels && Array.from(labels, (label) => labelNames![label]), facts.labels);
      requireWords(columnNames, facts.names);
      return 'accepted';
    },
  };
}

/** Blanks around words are no part of them, for either reader. */
function requireWords(got: readonly string[] | undefined, expected: readonly string[] | null): void {
  const trimmed = got?.map((word) => word.trim()) ?? null;
  if (JSON.stringify(trimmed) === JSON.stringify(expected)) return;
  throw new Misread(`${JSON.stringify(trimmed)} instead of ${JSON.stringify(expected)}`);
}

interface Layout {
  readonly separator: Separator;
  readonly header: boolean;
  readonly isLabeled: boolean;
}

function anyCsv(random: Random, { separator, header, isLabeled }: Layout): string {
  const [rows, cols] = [1 + random.integer(4), 1 + random.integer(4)];
  const end = pick(random, ['\n', '\n', '\r\n']);
  const quoted = (text: string): string =>
    random.integer(6) === 0 || /["\n\r]/.test(text) || text.includes(separator)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const blank = (text: string): string => (random.integer(12) === 0 ? pick(random, [` ${text}`, `${text} `]) : text);
  const words = ['oak', 'a b', 'x"y', 'née', '東', `with${separator}it`, 'two\nlines', '7', '<b>', ''];
  const lines = Array.from({ length: rows }, () => {
    const fields = Array.from({ length: cols }, () => blank(quoted(anyNumber(random))));
    return [...fields, ...(isLabeled ? [quoted(pick(random, words))] : [])].join(separator);
  });
  if (header) {
    const names = Array.from({ length: cols + Number(isLabeled) }, (_, i) => quoted(`${pick(random, words)}${i}`));
    lines.unshift(names.join(separator));
  }
  if (random.integer(8) === 0) lines.splice(random.integer(lines.length + 1), 0, '');
  return pick(random, ['', '', '', '\ufeff']) + lines.join(end) + pick(random, [end, end, '']);
}

const numbers = [
  '0',
  '-0',
  '1',
  '.5',
  '5.',
  '-1e-300',
  '1e300',
  '5e-324',
  '1.7976931348623157e308',
  '+3',
  '007',
  '1E5',
  '0.1',
];

function anyNumber(random: Random): string {
  const chance = random.integer(30);
  if (chance === 0) return pick(random, ['nan', 'inf', '1e400', '', 'x', '1_0', '0x1', '1e', '--1', '１', '1,5']);
  return chance < 14 ? pick(random, numbers) : String(random.normal() * 10 ** (random.integer(40) - 20));
}
