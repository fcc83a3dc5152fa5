/** Tries of tables: delimited text and JSON as people have them, changed by words and bytes, read as a whole and as a stream. */

import { readTable, type Random } from '../../../../lib/index.ts';
import { mutate, textMutations } from '../../../formats/mutations.ts';
import { attempted, type Kind, Misread, pick, requireSame } from '../kind.ts';
import { hostileJson, type Json } from './hostile-json.ts';

const texts = [
  'id,height,kind,date\n1,1.5 m,oak,2024-01-02\n2,2.5 m,elm,2024-02-03\n3,,oak,2024-03-04\n',
  'a;b\n1,5;2\n-3,25;4\n1.000,5;6\n',
  'x\ty\n1\tNA\n2\t?\n3\t4\n',
  '# made by hand\n1 2 3\n4 5 6\n7 8 9\n',
  '"name","v"\n"a ""b""",1\n"c\nd",2\n',
  '\ufeffx|y\n1|2\n3|4\n',
  '{"x":1,"y":2}\n{"x":3,"y":null}\n{"x":5,"z":"a"}\n',
].map((text) => new TextEncoder().encode(text));

const records: Json[] = [
  [
    { x: 1, y: 2, kind: 'oak' },
    { x: 3, y: 4.5, kind: 'elm' },
  ],
  { x: [1, 2, 3], y: [4, 5, 6] },
  [
    [1, 2],
    [3, 4],
  ],
];

export async function openTables(): Promise<Kind> {
  return {
    async attempt(random) {
      const bytes = anyTable(random);
      const read = await attempted(() => readTable(bytes, { precision: 'double' }));
      const streamed = await attempted(() => readTable(pieces(bytes, 1 + random.integer(9)), { precision: 'double' }));
      if ((read === null) !== (streamed === null))
        throw new Misread('read as a whole, but not as a stream, or vice versa');
      if (!read || !streamed) return 'refused';
      const points = await attempted(() => read.points);
      const again = await attempted(() => streamed.points);
      if (!points || !again) return 'refused';
      if (!points.data.every(Number.isFinite)) throw new Misread('points that are not finite');
      requireSame(again.data, points.data, 'as a stream');
      return 'accepted';
    },
  };
}

function anyTable(random: Random): Uint8Array {
  if (random.integer(4) > 0) return mutate(random, pick(random, texts), textMutations);
  const text = new TextEncoder().encode(JSON.stringify(hostileJson(random, pick(random, records))));
  return random.integer(3) === 0 ? mutate(random, text, textMutations) : text;
}

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}
