/** Files that a user should not have dropped: the page says what is wrong, and goes on learning. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { Random, SpectralEmbedding, saveModel, tensor } from '../../lib/index.ts';
import type { Scenario, DroppedFile, Visit } from './demo-visit.ts';

/** A file, or several at once, and what the page answers. */
interface Refused {
  readonly files: readonly DroppedFile[];
  readonly says: RegExp;
}

const byteText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const pairs = Array.from({ length: 40 }, (_, i) => [i % 7, (i * i) % 11]);
const table = ['x,y', ...pairs.map((pair) => pair.join())].join('\n');

function noise(length: number): string {
  const random = new Random(1);
  return byteText(Uint8Array.from({ length }, () => random.integer(256)));
}

/** Small files. */
async function refusals(): Promise<Record<string, Refused>> {
  const npy = byteText(writeNpyTensor(tensor(pairs)));
  const model = byteText(saveModel((await new SpectralEmbedding({ components: 2 }).fit(pairs)).model));
  const wide = byteText(saveModel((await new SpectralEmbedding({ components: 3 }).fit(pairs)).model));
  const one = (name: string, file: Omit<DroppedFile, 'name'>, says: RegExp): Refused => ({
    files: [{ name, ...file }],
    says,
  });
  return {
    nothing: one('empty.csv', { text: '' }, /^empty\.csv is empty\./),
    blanks: one('blank.csv', { text: '\n\n  \n' }, /^blank\.csv: expected /),
    noise: one(
      'noise.csv',
      { bytes: noise(50_000) },
      /^noise\.csv: expected a table as text, .* Save the table as CSV/,
    ),
    'noise without an ending': one('noise', { bytes: noise(300) }, /^noise: expected /),
    'a picture': one(
      'photo.png',
      { bytes: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0' },
      /^photo\.png: expected .* Save the table/,
    ),
    'an Excel file': one(
      'book.xlsx',
      { bytes: `PK\x03\x04${noise(99)}` },
      /^book\.xlsx: .* perhaps an Excel file\. Save/,
    ),
    'an archive of arrays': one('a.npz', { bytes: `PK\x03\x04${noise(99)}` }, /^a\.npz is an archive .* numpy\.save/),
    words: one('words.csv', { text: 'a,b\nred,green\nblue,red\n' }, /^words\.csv: expected .* column/),
    'one row': one('row.csv', { text: 'x,y\n1,2\n' }, /^row\.csv has one point; 2 components need at least 4\./),
    'text as NPY': one('text.npy', { text: table }, /^text\.npy: expected .* Save the array again/),
    'half of an NPY file': one(
      'half.npy',
      { bytes: npy.slice(0, 200) },
      /^half\.npy: expected 320 bytes .* Save the array again/,
    ),
    'NPY with infinities': one('infinite.npy', { bytes: npyOf([[1, 2], [3, Infinity]]) }, /^infinite\.npy: expected finite/), // oxfmt-ignore
    'noise as IDX': one(
      'digits.idx',
      { bytes: `\0\0\x08\x03${noise(40)}` },
      /^digits\.idx: expected .* bytes for shape/,
    ),
    'damaged gzip': one(
      'table.csv.gz',
      { bytes: byteText(gzipSync(table)).slice(0, 60) },
      /^table\.csv\.gz: expected /,
    ),
    'noise as a model': one('my.specnet', { bytes: noise(500) }, /^my\.specnet is not a saved model: expected /),
    'half of a model': one(
      'half.specnet',
      { bytes: model.slice(0, -40) },
      /^half\.specnet is not a saved model: expected an intact/,
    ),
    'a damaged model': one(
      'damaged.specnet',
      { bytes: model.replace(/.{9}$/s, 'x'.repeat(9)) },
      /^damaged\.specnet is not a saved model: expected /,
    ),
    'a model of other columns': one(
      'wide.bin',
      { bytes: wide },
      /The model gives 3 coordinates; .* Set Components to 3/,
    ),
    'several files': {
      files: ['a.csv', 'b.csv', 'c.csv', 'd.csv'].map((name) => ({ name, text: table })),
      says: /^Drop one file at a time, not 4: a\.csv, b\.csv, c\.csv …/,
    },
    'text instead of a file': { files: [], says: /^There was no file in what you dropped/ },
    'a name with markup': one(`${markup}.csv`, { text: '' }, /^<img src=x onerror="smuggled = true">\.csv is empty/),
    'a name that goes on': one(`${'long'.repeat(99)}.csv`, { text: '' }, /^(long){14}l…? is empty/),
    'a million rows': one('million.csv', { text: '1,2\n'.repeat(1000), times: 1000 }, /^million\.csv has 1,000,000 lines; this page reads up to 200,000\. .*specnet embed/), // oxfmt-ignore
  };
}

const markup = '<img src=x onerror="smuggled = true">';

function npyOf(rows: number[][]): string {
  const finite = rows.map((row) => row.map((value) => (Number.isFinite(value) ? value : 0)));
  const bytes = writeNpyTensor(tensor(finite, 'double'));
  new DataView(bytes.buffer, bytes.byteOffset).setFloat64(bytes.length - 8, Infinity, true);
  return byteText(bytes);
}

/** Drops it, and reads the answer. */
async function refuse(visit: Visit, { files, says }: Refused): Promise<string> {
  await visit.page.evaluate(() => (document.querySelector('#status')!.textContent = ''));
  await visit.drop(...files);
  await visit.sees('#status.bad', /./);
  const text = (await visit.page.textContent('#status')) ?? '';
  return says.test(text) ? '' : `${files.map(({ name }) => name).join()}: ${text}`;
}

export const drops: Readonly<Record<string, Scenario>> = {
  'drop what is no table, while it learns': async (visit) => {
    // Training that the user starts does not stop by itself.
    const page = await visit.open('#points=100&hidden=32&edges=off', { reducedMotion: 'reduce' });
    await visit.sees('#status', /exact eigenvectors in/);
    await page.click('#run');
    await visit.sees('#numbers', /steps[1-9]/);
    const wrong: string[] = [];
    const all = Object.values(await refusals());
    for (const one of all) wrong.push(await refuse(visit, one));
    await visit.shoot('refused');
    await visit.goesOn();
    const problems = wrong.filter((text) => text !== '');
    if (problems.length > 0) throw new Error(problems.join('; '));
    const title = await page.textContent('#title-points');
    if (title !== 'Two moons') throw new Error(`the points are now ${title}`);
    return `${all.length} files are refused, and the training goes on`;
  },
  'read a refusal after learning is done, and drop a file with markup in it': async (visit) => {
    const page = await visit.open('#method=ritz&points=100');
    await visit.sees('#status', /^Done/);
    await visit.drop({ name: 'noise.csv', bytes: noise(500) });
    await visit.sees('#status.bad', /^noise\.csv: expected/);
    await page.waitForTimeout(150); // time to be overwritten
    await visit.sees('#status.bad', /^noise\.csv: expected/);
    const rows = pairs.map(([x, y], i) => `${x},${y},${markup}${i % 2},${markup}`);
    await visit.drop({ name: `${markup}.csv`, text: [`${markup},y,kind,other`, ...rows].join('\n') });
    await visit.sees('#title-points', /^<img src=x onerror/);
    const legend = await visit.sees('#legend', /^<img src=x onerror/);
    const notes = await visit.sees('#file-notes', /Left out: other/);
    await visit.sees('#note-0', /done/);
    await visit.shoot('markup');
    const found = await page.evaluate(() => ({
      smuggled: 'smuggled' in globalThis,
      images: document.images.length,
    }));
    if (found.smuggled || found.images !== 1) throw new Error(JSON.stringify(found));
    return `${legend}; ${notes}`;
  },
  'drop a folder': async (visit) => {
    const page = await visit.open('#points=100');
    await visit.sees('#numbers', /steps[1-9]/);
    const folder = mkdtempSync(join(tmpdir(), 'specnet-folder-'));
    try {
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
      }
      return await visit.sees('#status.bad', /^specnet-folder-\w+ is a folder\. Drop one of its files\./);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Files that take long to read, for `npm run check:demo`. */
export const heavyDrops: Readonly<Record<string, Scenario>> = {
  'drop 150,000 rows': async (visit) => {
    const page = await visit.open('#points=100');
    await visit.sees('#numbers', /steps[1-9]/);
    const random = new Random(2);
    const rows = Array.from(
      { length: 150_000 },
      (_, i) => `${i % 3},${random.normal().toFixed(4)},${random.normal().toFixed(4)}`,
    );
    await visit.drop({ name: 'many.csv', text: ['class,x,y', ...rows].join('\n') });
    const note = await visit.sees('#note-points', /^20,000 points of 150,000, drawn at random/);
    await visit.shoot('many');
    await visit.goesOn();
    return `${note}; ${await page.textContent('#status')}`;
  },
  'drop 4,000 columns': async (visit) => {
    await visit.open('#points=100');
    const random = new Random(3);
    const rows = Array.from({ length: 300 }, () =>
      Array.from({ length: 4000 }, () => random.normal().toFixed(3)).join(),
    );
    await visit.drop({ name: 'wide.csv', text: rows.join('\n') });
    const note = await visit.sees('#note-points', /^300 points/);
    await visit.goesOn();
    return note;
  },
  'drop 200 MB, 60 MB without a line end, and a file that decompresses to 100 MB': async (visit) => {
    await visit.open('#points=100');
    await visit.sees('#numbers', /steps[1-9]/);
    await visit.drop({ name: 'huge.csv', text: '0'.repeat(1e6), times: 200 });
    await visit.sees('#status.bad', /^huge\.csv has 191 MB; this page reads up to 64 MB/);
    await visit.goesOn();
    await visit.page.evaluate(() => (document.querySelector('#status')!.textContent = ''));
    await visit.drop({ name: 'line.csv', text: '1,'.repeat(500_000), times: 60 });
    const line = await visit.sees('#status.bad', /./);
    await visit.goesOn();
    await visit.page.evaluate(() => (document.querySelector('#status')!.textContent = ''));
    await visit.drop({ name: 'bomb.csv.gz', bytes: byteText(gzipSync(Buffer.alloc(1e8, '1,2\n'))) });
    const bomb = await visit.sees('#status.bad', /^bomb\.csv\.gz is larger than 64 MB when it is decompressed/);
    await visit.goesOn();
    return `${line} ${bomb}`;
  },
};
