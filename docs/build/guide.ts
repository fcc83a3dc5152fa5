/** The guide: its own pages, the documents on each part, and the reference, with links between all of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuiltFile } from './bundle.ts';
import { anchorOf, escapeHtml, highlight, titleOf, toHtml } from './markdown.ts';
import { type Module, readReference } from './reference.ts';
import { strictPolicy } from './policy.ts';

const docs = fileURLToPath(new URL('../', import.meta.url));

/** Titles by file below docs. The pages of the guide come in reading order. */
const chapters = [
  'guide/index.md',
  'guide/start.md',
  'guide/clusters.md',
  'guide/own-table.md',
  'guide/plots.md',
  'guide/own-graph.md',
  'guide/choosing.md',
  'guide/diagnostics.md',
  'guide/saving.md',
  'guide/browser.md',
  'guide/worker.md',
  'guide/faster.md',
  'guide/how-it-works.md',
  'guide/from.md',
] as const;

interface Chapter {
  readonly title: string;
  /** Path below guide/. */
  readonly name: string;
  readonly html: string;
}

export function buildGuide(): BuiltFile[] {
  const parts = [...readdirSync(docs).filter((name) => name.endsWith('.md')), 'results/report.md'];
  const guide = chapters.map((file) => chapterOf(file));
  const depth = parts.map((file) => chapterOf(file));
  const reference = { title: 'API reference', name: 'reference.html', html: referenceHtml(readReference()) };
  const all = [...guide, ...depth, reference];
  const contents = (here: Chapter): string =>
    [section('The guide', guide, here), section('In depth', depth, here), section('Reference', [reference], here)].join(
      '',
    );
  const pages = all.map((chapter) => ({
    name: `guide/${chapter.name}`,
    bytes: Buffer.from(pageOf(chapter, contents(chapter))),
  }));
  const pictures = copiesOf('guide/pictures', 'guide/pictures');
  const figures = copiesOf('results', 'guide').filter(({ name }) => name.endsWith('.svg'));
  return [
    ...pages,
    ...pictures,
    ...figures,
    ...copiesOf('embedding', 'guide/embedding'),
    ...copiesOf('growth', 'guide/growth'),
    ...copiesOf('performance', 'guide/performance'),
    ...copiesOf('sparse-kernels', 'guide/sparse-kernels'),
    { name: 'guide/guide.css', bytes: readFileSync(`${docs}guide/guide.css`) },
  ];
}

/** The files of a folder below docs, for a folder of the site. */
function copiesOf(folder: string, to: string): BuiltFile[] {
  return readdirSync(docs + folder).map((name) => ({
    name: `${to}/${name}`,
    bytes: readFileSync(`${docs}${folder}/${name}`),
  }));
}

function chapterOf(file: string): Chapter {
  const markdown = readFileSync(docs + file, 'utf8');
  return { title: titleOf(markdown), name: siteName(file), html: toHtml(markdown, (target) => siteLink(file, target)) };
}

/** All documents lie in one folder of the site. */
function siteName(file: string): string {
  return posix.basename(file).replace(/\.md$/, '.html');
}

/** Links between documents lead to their pages. Links to the source of the page lead to the page. */
function siteLink(file: string, target: string): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return escapeHtml(target);
  const [path, anchor] = target.split('#');
  const whole = posix.join(posix.dirname(file), path);
  if (whole === 'demo/page/index.html') return '../index.html';
  if (!whole.endsWith('.md')) return path;
  return `${siteName(whole)}${anchor ? `#${anchor}` : ''}`;
}

function section(title: string, list: readonly Chapter[], here: Chapter): string {
  const items = list.map(({ name, title: words }) => {
    const current = name === here.name ? ' aria-current="page"' : '';
    return `<li><a href="${name}"${current}>${escapeHtml(words)}</a></li>`;
  });
  return `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`;
}

function pageOf({ title, html }: Chapter, contents: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${strictPolicy}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · specnet</title>
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="guide.css">
</head>
<body>
<header><a class="brand" href="../index.html"><img src="../icon.svg" alt="" width="30" height="30"><b>specnet</b></a>
<a href="../index.html">Live</a><a href="../index.html#tab=bench">Bench</a><a href="../index.html#tab=verify">Verify</a><a href="index.html" aria-current="page">Guide</a></header>
<div class="columns">
<nav aria-label="Contents"><details open><summary>Contents</summary>
${contents}</details></nav>
<main>
${html}
</main>
</div>
</body>
</html>
`;
}

/** A name that several modules export is described under the first of them; the others link to it. */
function referenceHtml(modules: readonly Module[]): string {
  const described = new Set<string>();
  const parts = modules.map(({ name, summary, entries }) => {
    const links = entries.map((entry) => `<a href="#${entry.name}">${entry.name}</a>`);
    const own = entries.filter((entry) => !described.has(entry.name));
    const list = own.map((entry) => {
      described.add(entry.name);
      const words = entry.comment === '' ? '' : `<p>${inlineCode(entry.comment)}</p>`;
      return `<h3 id="${entry.name}"><code>${entry.name}</code></h3>\n${words}\n<pre><code>${highlight(entry.declaration)}</code></pre>`;
    });
    const heading = `<h2 id="${anchorOf(name)}"><code>${name}</code></h2>\n<p>${inlineCode(sentence(summary))}</p>`;
    return `${heading}\n<p class="names">${links.join(' ')}</p>\n${list.join('\n')}`;
  });
  const intro = `<p>Import most things from <code>specnet</code>, and the rest from the module of its room. A name that
several modules export is the same thing in each. This page is made from the declarations of the built package, with the
comments of its source.</p>`;
  const contents = modules.map(({ name }) => `<a href="#${anchorOf(name)}">${name}</a>`).join(' ');
  return `<h1>API reference</h1>\n${intro}\n<p class="names">${contents}</p>\n${parts.join('\n')}`;
}

function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
