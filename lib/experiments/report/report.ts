/** The report of a run, as an HTML page and as Markdown. Every statement about results is computed from the numbers. */

import { htmlPage } from '../../charts/page.ts';
import { drawFigure } from '../../charts/chart.ts';
import { escape } from '../../charts/frame.ts';
import { chartStyle } from '../../charts/palette.ts';
import { explainTimes } from '../shared/times.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  type Experiment,
  isOwnClaim,
  type Json,
  type Review,
  type Table,
} from '../shared/experiment.ts';

/** An experiment, its finished jobs and their review. */
export interface Result {
  readonly name: string;
  readonly experiment: Experiment;
  readonly choices: Choices;
  /** The processor, its cores and the version of Node. */
  readonly machine: string;
  readonly finished: readonly FinishedJob[];
  readonly review: Review;
}

export function resultOf(
  name: string,
  experiment: Experiment,
  { choices, machine, replicas }: { choices: Choices; machine: string; replicas: readonly FinishedJob[] },
): Result {
  return { name, experiment, choices, machine, finished: replicas, review: experiment.review(replicas, choices) };
}

/** The file name of a figure. */
export function figureFile(name: string, figure: string): string {
  return `${name}-${figure}.svg`;
}

export function verdictOf({ agrees }: Claim): string {
  return agrees === null ? 'undecided' : agrees ? 'agrees' : 'differs';
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
  const body = `<h1>Reproduction of the paper</h1>
<p>${escape(introduction(results))}</p>
<ul class="contents">${results
    .map(
      ({ name, experiment, review }) =>
        `<li><a href="#${name}">${escape(experiment.title)}</a> ${review.claims.map((claim) => `<span class="${classOf(claim)}" title="${escape(claim.claim)}">${mark(claim)}</span>`).join(' ')}</li>`,
    )
    .join('')}</ul>
${sections.join('\n')}`;
  return htmlPage({ title: 'specnet: reproduction of the paper', style: `${chartStyle}\n${pageStyle}`, body });
}

/** The report as Markdown, with links to the figures. */
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
      `| claim | measured | verdict | why |\n| --- | --- | --- | --- |\n${claims.join('\n')}`,
      ...figures,
      ...tables,
      ...experiment.remarks,
      `Settings: ${Object.entries(experiment.settings(choices))
        .map(([key, value]) => `${key} ${show(value)}`)
        .join('; ')}.`,
    ].join('\n\n');
  });
  return `# Reproduction of the paper\n\n${introduction(results)}\n\n${sections.join('\n\n')}\n`;
}

function commandOf(name: string, choices: Choices): string {
  return ['specnet reproduce', name, ...flagsOf(choices)].join(' ');
}

function flagsOf({ quick, replicas, epochs, seed }: Choices): string[] {
  const flags = [
    quick && '--quick',
    replicas !== null && `--replicas ${replicas}`,
    epochs !== null && `--epochs ${epochs}`,
    seed !== 0 && `--seed ${seed}`,
  ];
  return flags.filter((flag) => flag !== false);
}

function introduction(results: readonly Result[]): string {
  const claims = results.flatMap(({ review }) => review.claims);
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const own = claims.filter(isOwnClaim);
  const paper = claims.filter((claim) => !isOwnClaim(claim));
  return (
    `The claims of the paper, next to what this code computes. ${lengths(results)} Of ${paper.length} claims of the paper, ${verdicts(paper)}` +
    `${own.length > 0 ? `; of ${own.length} claims that we add, marked as not in the paper, ${verdicts(own)}` : ''}. Every statement about results on this page is ` +
    `computed from the numbers in the JSON files in the same folder. Machine: ${machines.join(' and ')}. Times are ${explainTimes(results.flatMap(({ finished }) => finished))}.`
  );
}

function verdicts(claims: readonly Claim[]): string {
  const [yes, no, unknown] = [true, false, null].map(
    (verdict) => claims.filter(({ agrees }) => agrees === verdict).length,
  );
  return `${yes} agree, ${no} differ and ${unknown} are undecided`;
}

/** A sentence about the experiments that ran with other numbers of epochs or replicas than their defaults. */
function lengths(results: readonly Result[]): string {
  const byFlags = new Map<string, string[]>();
  for (const { name, choices } of results) {
    const flags = flagsOf({ ...choices, seed: 0 }).join(' ');
    byFlags.set(flags, [...(byFlags.get(flags) ?? []), name]);
  }
  const groups = [...byFlags]
    .filter(([flags]) => flags !== '')
    .map(([flags, names]) => `${names.join(', ')}: ${flags}`);
  if (groups.length === 0) return 'All experiments ran at full length.';
  return `${byFlags.has('') ? 'All experiments ran at full length except these' : 'Flags of the experiments'}: ${groups.join('; ')} (the settings of each experiment list its epochs and starts, and its text those of the paper).`;
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

/** A setting as text. */
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

/** The symbol of a verdict. Verdicts differ in shape as well as in color. */
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
  .wide svg { min-width: 54rem; } /* scrolls on a phone, so that text stays readable */
  table { border-collapse: collapse; font-size: .9rem; } .wide { overflow-x: auto; }
  th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
  .claims td:nth-child(1) { width: 26%; } .claims td:nth-child(2) { width: 32%; } .claims td:nth-child(3) { white-space: nowrap; }
  .figures td { font-variant-numeric: tabular-nums; } .yes { color: var(--green); } .no { color: var(--vermilion); }
  .unknown { color: var(--soft); } .contents { list-style: none; padding: 0; columns: 2 20rem; }
  @media (max-width: 44rem) { /* stack the cells of a claim */
    .claims, .claims tbody, .claims tr, .claims td { display: block; } .claims tr:first-child { display: none; }
    .claims tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
    .claims td:nth-child(n) { width: auto; padding: .1rem 0; border: 0; } .claims td:first-child { font-weight: 600; }
    .claims td:nth-child(2)::before { content: 'Measured: '; } .claims td:nth-child(4)::before { content: 'Why: '; }
    .claims td:nth-child(2)::before, .claims td:nth-child(4)::before { color: var(--soft); }
  }`;
