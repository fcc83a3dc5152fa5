/** The site is complete, small and readable. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundlePage, firstLoadLimit, loadedLater, weigh } from '../../docs/build/bundle.ts';
import { buildGuide } from '../../docs/build/guide.ts';
import { toHtml } from '../../docs/build/markdown.ts';
import { strictPolicy } from '../../docs/build/policy.ts';
import { readReference } from '../../docs/build/reference.ts';
import { serveSite } from '../../docs/build/serve.ts';
import { openSurface } from '../surface.ts';

const test = suite('site');
const same = (target: string): string => target;

test('the first load stays within its limit, and holds no code that a strict policy forbids', async () => {
  const files = await bundlePage();
  const first = files.filter(({ name }) => !loadedLater.includes(name));
  const gzip = weigh(first).reduce((sum, weight) => sum + weight.gzip, 0);
  assert.ok(gzip > 50_000, `${gzip}: something was bundled`);
  assert.ok(gzip <= firstLoadLimit, `${gzip} bytes of gzip, ${firstLoadLimit} allowed`);
  for (const { name, bytes } of files.filter((file) => file.name.endsWith('.js'))) {
    assert.not.match(Buffer.from(bytes).toString(), /new Function\(|[^.\w]eval\(/, name);
  }
});

test('the served page has the policy in its head', () => {
  const html = readFileSync('docs/demo/page/index.html', 'utf8');
  assert.ok(html.includes(`content="${strictPolicy}"`));
  assert.not.match(html, /\sstyle=|\son\w+=/);
  const reported = /Content-Security-Policy: ((?:.|\n {6})*)/.exec(readFileSync('docs/guide/browser.md', 'utf8'));
  assert.is(reported?.[1].replace(/\s+/g, ' '), strictPolicy);
});

test('the reference has every name that can be imported, under its module', async () => {
  const modules = readReference();
  for (const { name, module } of await openSurface()) {
    const { entries, summary } = modules.find((one) => one.name === name)!;
    assert.ok(summary.length > 20, name);
    const names = new Set(entries.map((entry) => entry.name));
    for (const key of Object.keys(module)) assert.ok(names.has(key), `${name}: ${key}`);
  }
  const [main] = modules;
  const { comment, declaration } = main.entries.find(({ name }) => name === 'SpectralEmbedding')!;
  assert.match(comment, /^Learns the leading nontrivial eigenvectors/);
  assert.match(declaration, /^class SpectralEmbedding \{[\s\S]*fit\(points: PointSource[\s\S]*\}$/);
  assert.not.match(JSON.stringify(main.entries), /#private/);
});

test('every name that can be imported has a comment of its own', () => {
  const modules = readReference();
  const entries = modules.flatMap(({ name, entries: list }) => list.map((entry) => ({ ...entry, module: name })));
  assert.ok(entries.length > 280, `${entries.length}`);
  const without = entries.filter(({ comment }) => comment.length < 10).map((entry) => `${entry.module} ${entry.name}`);
  assert.equal(without, []);
});

/** Names of the platform, and of ml-matrix, that declarations mention. */
const platform = words(`
  AbstractMatrix MlMatrix
  AbortSignal ArrayBuffer ArrayBufferLike ArrayLike AsyncIterable AsyncGenerator Awaited Extract BigInt64Array Blob Error Exclude
  Float32Array Float64Array Generator Int32Array Int8Array Int16Array Iterable Iterator Map Matrix NonNullable Omit Parameters Partial Pick Promise
  RangeError Readonly ReadableStream Record Required ReturnType SharedArrayBuffer TypeError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray URL WebAssembly`);

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

test('no public declaration mentions a type that cannot be imported', () => {
  const entries = readReference().flatMap((module) => module.entries);
  const known = new Set(entries.map(({ name }) => name));
  const missing = entries.flatMap(({ name, declaration }) => {
    const code = declaration.replace(/\/\*[\s\S]*?\*\//g, '').replace(/'[^']*'/g, '');
    // Type parameters are single letters, `Params`, or bounded by `extends`.
    const bounded = new Set([...code.matchAll(/\b([A-Z]\w*) extends /g)].map(([, type]) => type));
    const isParameter = (type: string): boolean => type.length === 1 || type === 'Params' || bounded.has(type);
    const mentioned = [...code.matchAll(/(?<![.\w])[A-Z]\w*/g)].map(([type]) => type);
    return mentioned
      .filter((type) => !known.has(type) && !platform.has(type) && !isParameter(type))
      .map((type) => `${name}: ${type}`);
  });
  assert.equal([...new Set(missing)], []);
});

test('every link of the guide leads to a page, and every anchor to a heading', () => {
  const files = new Map(buildGuide().map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]));
  const elsewhere = new Set([
    '../index.html',
    '../index.html#tab=bench',
    '../index.html#tab=verify',
    '../icon.svg',
    'guide.css',
  ]);
  let links = 0;
  for (const [name, html] of files) {
    if (!name.endsWith('.html')) continue;
    for (const [, target] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (elsewhere.has(target) || target.startsWith('https:')) continue;
      const [path, anchor] = target.split('#');
      const page = files.get(path === '' ? name : `guide/${path}`);
      assert.ok(page !== undefined, `${name}: ${target}`);
      if (anchor) assert.ok(page.includes(` id="${anchor}"`), `${name}: ${target}`);
      links++;
    }
  }
  assert.ok(links > 500, `${links}`);
});

test('a document becomes a page: headings, code, tables, lists, and signs that mean something', () => {
  const text =
    '# A `b` & c\n\nOne *two* **three**\nfour [five](six.md#seven).\n\n- a\n  b\n- `c*d*`\n\n| x | y |\n| - | - |\n| 1 | `a\\|b` |\n';
  assert.is(
    toHtml(text, same),
    '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>\n' +
      '<p>One <em>two</em> <strong>three</strong> four <a href="six.md#seven">five</a>.</p>\n' +
      '<ul>\n<li>a b</li>\n<li><code>c*d*</code></li>\n</ul>\n' +
      '<div class="wide"><table>\n<tr><th>x</th><th>y</th></tr>\n<tr><td>1</td><td><code>a|b</code></td></tr>\n</table></div>',
  );
  const code = toHtml("```ts\nconst a = '<b>'; // c\n```\n", same);
  assert.is(
    code,
    '<pre><code><span class="word">const</span> a = <span class="string">\'&lt;b&gt;\'</span>; <span class="comment">// c</span></code></pre>',
  );
});

test('the server sends existing files with the policy, and 404 for others', async () => {
  const { server, url } = await serveSite([{ name: 'guide/index.html', bytes: Buffer.from('here') }]);
  try {
    const found = await fetch(`${url}guide/`);
    assert.equal([found.status, await found.text()], [200, 'here']);
    assert.ok(found.headers.get('content-security-policy')?.startsWith(strictPolicy));
    for (const path of ['', 'guide', '%E0%A4%A', '..%2Fpackage.json', '__proto__']) {
      assert.is((await fetch(url + path)).status, 404, path);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test.run();
