/** User actions with matrices in the Bench tab: drop one, see the table and the roofline, and what WebGPU adds. */

import { fromTriplets, symmetrize } from '../../lib/doors/sparse.ts';
import { writeMatrixMarket } from '../../lib/formats/matrix-market/matrix-market.ts';
import { writeNpz } from '../../lib/formats/numpy/npz.ts';
import type { CsrMatrix } from '../../lib/sparse/csr.ts';
import { Random } from '../../lib/index.ts';
import type { Scenario, Visit } from './demo-visit.ts';

/** Rows of 0 to 79 entries. */
function irregular(rows: number, cols: number): CsrMatrix {
  const random = new Random(7);
  const entries = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: i % 9 === 0 ? 0 : random.integer(80) }, () => [
      i,
      random.integer(cols),
      random.uniform(-1, 1),
    ]),
  ).flat();
  const [list, columns, values] = [0, 1, 2].map((k) => entries.map((entry) => entry[k]));
  return fromTriplets({ rows: list, columns, values }, [rows, cols]);
}

/** One character for each byte. */
const textOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** The header of the table of products, and the number of its lines. */
async function readTable({ page }: Visit): Promise<{ header: string[]; lines: string[][]; charts: number }> {
  return page.evaluate(() => {
    const rows = [...document.querySelector('#matrix-result table')!.querySelectorAll('tr')];
    const [header, ...lines] = rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ''));
    const images = [...document.querySelectorAll<HTMLImageElement>('.roofline img')];
    const shown = images.filter((image) => image.complete && image.naturalWidth > 0 && image.offsetWidth > 0);
    return { header, lines, charts: shown.length };
  });
}

export const matrixScenarios: Readonly<Record<string, Scenario>> = {
  'measure a matrix that is dropped': async (visit) => {
    const page = await visit.open('#points=100');
    await visit.drop({ name: 'wrong.mtx', text: '%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n' });
    await visit.sees('#tab-bench[aria-selected=true]', /Bench/);
    const refused = await visit.sees('#matrix-status.bad', /wrong\.mtx: readMatrixMarket: .*3/);
    const canSave = await page.evaluate(() => !document.querySelector<HTMLElement>('#matrix-save')!.hidden);
    if (canSave) throw new Error('there is nothing to save');
    await visit.drop({ name: 'some.npz', bytes: textOf(await writeNpz(irregular(60, 40))) });
    const text = await visit.sees('#matrix-status', /Products timed/);
    await visit.shoot('matrix');
    const { header, lines, charts } = await readTable(visit);
    const findings = (await page.textContent('.findings')) ?? '';
    const first = await page.textContent('.structure');
    if (!text.startsWith('All results agree') || !first?.startsWith('some.npz: 60×40 '))
      throw new Error(`${text} ${first}`);
    if (!/WebGPU: |No WebGPU here: the browser has WebGPU, but found no graphics card|No WebGPU here: this browser has no WebGPU/.test(findings)) throw new Error(findings); // oxfmt-ignore
    if (charts !== 1 || header.at(-1) !== 'of the roofline') throw new Error(`${charts} charts, ${header.join()}`);
    if (!lines.every((line) => line.some((cell) => /µs|ms|ns/.test(cell)) && line.at(-1)!.endsWith(' %'))) throw new Error(lines.join('\n')); // oxfmt-ignore
    return `${refused} ${text}`;
  },
};

/** In a browser with WebGPU: the kernels of the card run on short and long rows. Says so where there is no card. */
export const measureOnCard: Scenario = async (visit) => {
  const page = await visit.open('#tab=bench&points=100');
  const matrix = symmetrize(irregular(200, 200));
  await visit.drop({ name: 'symmetric.mtx.gz', bytes: textOf(await writeMatrixMarket(matrix, { gzip: true })) });
  const text = await visit.sees('#matrix-status', /Products timed/);
  const findings = (await page.textContent('.findings')) ?? '';
  if (/No WebGPU here/.test(findings)) return `no card: ${findings}`;
  await visit.shoot('matrix-card');
  if (!/^All results agree.*, and 3 by WebGPU\.$/.test(text)) throw new Error(`${text} ${findings}`);
  const { header, lines } = await readTable(visit);
  const at = header.indexOf('WebGPU');
  const timed = lines.filter((line) => line[at] !== '').map((line) => line.slice(0, 4).join(' '));
  const wanted = [1, 8, 32].map((width) => `A·X single given ${width}`);
  if (timed.join() !== wanted.join()) throw new Error(timed.join());
  return `${text} ${/WebGPU: .*/.exec(findings)![0]}`;
};
