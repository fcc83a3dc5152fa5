/** How does a run become something to read? One page for a browser, one for a repository; every word about results is made of the numbers. */

import { wholePage } from '../../charts/page.ts';
import { drawFigure, escape } from '../../charts/chart.ts';
import { chartStyle } from '../../charts/palette.ts';
import { timesExplained } from '../shared/times.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  type Experiment,
  isOurs,
  type Json,
  type Review,
  type Table,
} from '../shared/experiment.ts';

/** An experiment and what came out of it. */
export interface Result {
  readonly name: string;
  readonly experiment: Experiment;
  readonly choices: Choices;
  /** Where it ran. */
  readonly machine: string;
  readonly done: readonly FinishedJob[];
  readonly review: Review;
}

export function resultOf(
  name: string,
  experiment: Experiment,
  { choices, machine, replicas }: { choices: Choices; machine: string; replicas: readonly FinishedJob[] },
): Result {
  return { name, experiment, choices, machine, done: replicas, review: experiment.review(replicas, choices) };
}

/** The file of a figure, beside the page. */
export function figureFile(name: string, figure: string): string {
  return `${name}-${figure}.svg`;
}

export function verdictOf({ agrees }: Claim): string {
  return agrees === null ? 'cannot be told' : agrees ? 'agrees' : 'differs';
}

export function htmlReport(results: readonly Result[]): string {
  const sections = results.map(
    ({ name, experiment, choices, review }) => `<section id="${name}">
<h2>${escape(experiment.title)}</h2>
<p><code>${commandOf(name, choices)}</code></p>
<p><b>The paper.</b> ${escape(experiment.paper)}</p>
${claimsTable(review.claims)}
${review.figures
  .map(
    (figure) => `<figure><div class="wide">${drawFigure(figure, false)}</div>
<figcaption><b>${escape(figure.title)}.</b> ${escape(figure.caption)} <a href="${figureFile(name, figure.name)}">SVG</a></figcaption></figure>`,
  )
  .join('\n')}
${(review.tables ?? []).map(htmlTable).join('\n')}
${experiment.remarks.map((remark) => `<p>${escape(remark)}</p>`).join('\n')}
<details><summary>Settings and seeds</summary>${settingsTable(experiment.settings(choices))}</details>
</section>`,
  );
  const body = `<h1>The paper, reproduced</h1>
<p>${escape(introduction(results))}</p>
<ul class="contents">${results
    .map(
      ({ name, experiment, review }) =>
        `<li><a href="#${name}">${escape(experiment.title)}</a> ${review.claims.map((claim) => `<span class="${classOf(claim)}" title="${escape(claim.claim)}">${mark(claim)}</span>`).join(' ')}</li>`,
    )
    .join('')}</ul>
${sections.join('\n')}`;
  return wholePage({ title: 'specnet: the paper, reproduced', style: `${chartStyle}\n${pageStyle}`, body });
}

/** The same for a repository: text and links to the figures. */
export function markdownReport(results: readonly Result[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const sections = results.map(({ name, experiment, choices, review }) => {
    const claims = review.claims.map(
      (claim) => `| ${cell(claim.claim)} | ${cell(claim.measured)} | ${verdictOf(claim)} | ${cell(claim.why)} |`,
    );
    const figures = review.figures.map(
      (figure) => `![${figure.title}](${figureFile(name, figure.name)})\n\n*${figure.title}.* ${figure.caption}`,
    );
    const tables = (review.tables ?? []).map(
      ({ title, header, rows }) =>
        `**${title}**\n\n| ${header.join(' | ')} |\n| ${header.map(() => '---').join(' | ')} |\n${rows.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}`,
    );
    return [
      `## ${experiment.title}`,
      `\`${commandOf(name, choices)}\``,
      `**The paper.** ${experiment.paper}`,
      `| claimed | measured | verdict | why |\n| --- | --- | --- | --- |\n${claims.join('\n')}`,
      ...figures,
      ...tables,
      ...experiment.remarks,
      `Settings: ${Object.entries(experiment.settings(choices))
        .map(([key, value]) => `${key} ${show(value)}`)
        .join('; ')}.`,
    ].join('\n\n');
  });
  return `# The paper, reproduced\n\n${introduction(results)}\n\n${sections.join('\n\n')}\n`;
}

function commandOf(name: string, choices: Choices): string {
  return ['specnet reproduce', name, ...wordsOf(choices)].join(' ');
}

function wordsOf({ quick, replicas, epochs, seed }: Choices): string[] {
  const words = [
    quick && '--quick',
    replicas !== null && `--replicas ${replicas}`,
    epochs !== null && `--epochs ${epochs}`,
    seed !== 0 && `--seed ${seed}`,
  ];
  return words.filter((word) => word !== false);
}

function introduction(results: readonly Result[]): string {
  const claims = results.flatMap(({ review }) => review.claims);
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const own = claims.filter(isOurs);
  const paper = claims.filter((claim) => !isOurs(claim));
  return (
    `What the paper claims, next to what this code computes. ${lengths(results)} Of ${paper.length} claims of the paper ${verdicts(paper)} from this run` +
    `${own.length > 0 ? `; of ${own.length} that we add, which say that they are not in the paper, ${verdicts(own)}` : ''}. Every word about results on this page is ` +
    `made of the numbers in the JSON files beside it. Ran on ${machines.join(' and on ')}; times are ${timesExplained(results.flatMap(({ done }) => done))}.`
  );
}

function verdicts(claims: readonly Claim[]): string {
  const [yes, no, unknown] = [true, false, null].map(
    (verdict) => claims.filter(({ agrees }) => agrees === verdict).length,
  );
  return `${yes} agree, ${no} differ and ${unknown} cannot be told`;
}

/** Which experiments were told another length than they hold for right. */
function lengths(results: readonly Result[]): string {
  const told = new Map<string, string[]>();
  for (const { name, choices } of results) {
    const words = wordsOf({ ...choices, seed: 0 }).join(' ');
    told.set(words, [...(told.get(words) ?? []), name]);
  }
  const groups = [...told].filter(([words]) => words !== '').map(([words, names]) => `${names.join(', ')}: ${words}`);
  if (groups.length === 0) return 'All experiments ran in full length.';
  return `${told.has('') ? 'All experiments ran in full length but for these' : 'Lengths of the experiments'}: ${groups.join('; ')} (epochs and starts of each are under its settings, and what the paper has is in its text).`;
}

function claimsTable(claims: readonly Claim[]): string {
  const rows = claims.map(
    (claim) =>
      `<tr><td>${escape(claim.claim)}</td><td>${escape(claim.measured)}</td><td class="${classOf(claim)}">${mark(claim)} ${verdictOf(claim)}</td><td>${escape(claim.why)}</td></tr>`,
  );
  return `<div class="wide"><table class="claims"><tr><th>Claim</th><th>Measured</th><th>Verdict</th><th>Why</th></tr>
${rows.join('\n')}
</table></div>`;
}

function htmlTable({ title, header, rows }: Table): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((text) => `<${tag}>${escape(text)}</${tag}>`).join('')}</tr>`;
  return `<h3>${escape(title)}</h3><div class="wide"><table class="figures">${line(header, 'th')}
${rows.map((row) => line(row, 'td')).join('\n')}
</table></div>`;
}

function settingsTable(settings: Readonly<Record<string, Json>>): string {
  const rows = Object.entries(settings).map(
    ([key, value]) => `<tr><td>${escape(key)}</td><td>${escape(show(value))}</td></tr>`,
  );
  return `<table class="figures">${rows.join('')}</table>`;
}

/** A setting as people write it. */
function show(value: Json): string {
  if (Array.isArray(value)) return value.map(show).join(', ');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${typeof inner === 'object' ? `(${show(inner)})` : show(inner)}`)
      .join(', ');
  }
  return String(value);
}

function classOf({ agrees }: Claim): string {
  return agrees === null ? 'unknown' : agrees ? 'yes' : 'no';
}

/** Told apart by shape, and by colour besides. */
function mark({ agrees }: Claim): string {
  return agrees === null ? '?' : agrees ? '✓' : '✗';
}

const pageStyle = `
  :root { color-scheme: light dark; }
  body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--page); color: var(--ink);
         font: 16px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; } h3 { font-size: 1rem; }
  code { font-size: .8em; color: var(--soft); } p { max-width: 52rem; } a { color: var(--blue); }
  figure { margin: 1rem 0; padding: .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
  figcaption, summary { font-size: .9rem; color: var(--soft); } svg { display: block; width: 100%; height: auto; }
  .wide svg { min-width: 54rem; } /* on a phone letters stay large, and one moves along */
  table { border-collapse: collapse; font-size: .9rem; } .wide { overflow-x: auto; }
  th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
  .claims td:nth-child(1) { width: 26%; } .claims td:nth-child(2) { width: 32%; } .claims td:nth-child(3) { white-space: nowrap; }
  .figures td { font-variant-numeric: tabular-nums; } .yes { color: var(--green); } .no { color: var(--vermilion); }
  .unknown { color: var(--soft); } .contents { list-style: none; padding: 0; columns: 2 20rem; }
  @media (max-width: 44rem) { /* cells of a claim below each other */
    .claims, .claims tbody, .claims tr, .claims td { display: block; } .claims tr:first-child { display: none; }
    .claims tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
    .claims td:nth-child(n) { width: auto; padding: .1rem 0; border: 0; } .claims td:first-child { font-weight: 600; }
    .claims td:nth-child(2)::before { content: 'Measured: '; } .claims td:nth-child(4)::before { content: 'Why: '; }
    .claims td:nth-child(2)::before, .claims td:nth-child(4)::before { color: var(--soft); }
  }`;
