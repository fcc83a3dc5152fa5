/** Compares models trained in Node with the same models in a browser, bit for bit, for every way to serve the page. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sequentially } from '../../bench/sequentially.ts';
import { disableSimd, enableSimd, saveModel, simdStatus, transform } from '../../lib/index.ts';
import type { Browser } from './chromium.ts';
import type { Case } from './models.ts';
import { type Answer, PageServer } from './page-server.ts';

/** Ways to serve a page, and the kernels available under each. */
interface Setting {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kernels: 'shared' | 'own' | 'plain';
}

const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const policy = (scripts: string): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; connect-src 'self'; script-src 'self'${scripts}`,
});
const settings: readonly Setting[] = [
  { name: 'cross-origin isolated', headers: isolation, kernels: 'shared' },
  { name: 'not isolated', headers: {}, kernels: 'own' },
  {
    name: "isolated, strict policy with 'wasm-unsafe-eval'",
    headers: { ...isolation, ...policy(" 'wasm-unsafe-eval'") },
    kernels: 'shared',
  },
  { name: "strict policy with 'wasm-unsafe-eval'", headers: policy(" 'wasm-unsafe-eval'"), kernels: 'own' },
  { name: 'strict policy without', headers: policy(''), kernels: 'plain' },
];

export interface Comparison {
  readonly page: string;
  readonly kernels: Setting['kernels'];
  /** How many numbers were compared. */
  readonly numbers: number;
  /** The error message, or null. */
  readonly problem: string | null;
}

/** Compares in pages served in every way. Enables SIMD in this process afterwards. */
export async function compareInBrowser(browser: Browser, cases: readonly Case[]): Promise<Comparison[]> {
  const expected = { plain: coordinatesOf(cases, false), simd: coordinatesOf(cases, true) };
  const server = await PageServer.open(await bundle(), cases.map(pageCase));
  try {
    return await sequentially(settings, async (setting) => {
      const answer = server.answerTo(setting.headers);
      const page = await browser.newPage();
      await page.goto(server.url);
      const { problem, compared } = judge(setting, await answer, cases, expected);
      await page.close();
      return { page: setting.name, kernels: setting.kernels, numbers: compared, problem };
    });
  } finally {
    server.close();
  }
}

async function bundle(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0].contents;
}

function coordinatesOf(cases: readonly Case[], simd: boolean): Float32Array[] {
  if (simd) enableSimd();
  else disableSimd();
  if (simdStatus().enabled !== simd) throw new Error('check:browser: expected SIMD kernels in Node, got none.');
  return cases.map(({ model, points }) => Float32Array.from(transform(model, points).data));
}

function pageCase({ model, points }: Case) {
  const { shape, precision, data } = points;
  const bytes = new Uint8Array(data.slice().buffer as ArrayBuffer);
  return { facts: { shape, isDouble: precision === 'double' }, model: saveModel(model), points: bytes };
}

/** The error message or null, and how many numbers were compared. */
function judge(
  { kernels }: Setting,
  { report, results }: Answer,
  cases: readonly Case[],
  expected: { readonly simd: readonly Float32Array[]; readonly plain: readonly Float32Array[] },
): { problem: string | null; compared: number } {
  const { simd, failure, isolated } = report;
  if (failure !== null) return { problem: failure, compared: 0 };
  const found = simd.enabled ? (simd.shared ? 'shared' : 'own') : 'plain';
  if (found !== kernels) {
    const reason = simd.enabled ? `isolated: ${isolated}` : simd.reason;
    return { problem: `expected ${kernels} kernels, got ${found} (${reason})`, compared: 0 };
  }
  let compared = 0;
  for (const [i, { name }] of cases.entries()) {
    const wanted = expected[kernels === 'plain' ? 'plain' : 'simd'][i];
    const given = results[i];
    if (given?.length !== wanted.length) return { problem: `${name}: ${given?.length} numbers`, compared };
    const others = wanted.filter((value, k) => !Object.is(value, given[k])).length;
    if (others > 0) {
      const most = wanted.reduce((worst, value, k) => Math.max(worst, Math.abs(value - given[k]) / Math.abs(value)), 0);
      return { problem: `${name}: ${others} of ${wanted.length} differ, by up to ${most.toPrecision(2)}`, compared };
    }
    compared += wanted.length;
  }
  return { problem: null, compared };
}
