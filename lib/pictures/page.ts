/** The page of a picture: one HTML file under a strict content security policy, with script, style and data inside. */

import { escape } from '../charts/frame.ts';
import type { Theme } from '../charts/sequential.ts';
import { describeGap, drawEigenvalues } from './eigenvalue-chart.ts';
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from './page-assets.ts';
import { packPicture } from './shared/page-data.ts';
import type { Picture } from './shared/picture.ts';

/** The contents of the page beside the points. */
export interface PageParts {
  readonly theme: Theme | 'auto';
  readonly eigenvalues: Float64Array;
  /** The rows of the table of diagnostics. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly warnings: readonly string[];
}

/** Allows the one script and the one style sheet of the page, by their hashes, and nothing else: no network, no eval. */
const policy = `default-src 'none'; script-src '${pageScriptHash}'; style-src '${pageStyleHash}'; base-uri 'none'; form-action 'none'`;

export function drawPage(picture: Picture, { theme, eigenvalues, facts, warnings }: PageParts): string {
  const { title, rows, coordinates } = picture;
  const count = (number: number, noun: string): string =>
    `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
  const size = `${count(rows, 'point')}, ${count(coordinates.length, 'coordinate')}`;
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header><h1>${escape(title)}</h1><p>${size}</p><button id="theme" type="button">Theme</button></header>
${drawWarnings(warnings)}<noscript><p>The points are drawn by a script, and scripts are switched off.</p></noscript>
<main>
<div id="work">
${controls}
<div id="plot-area"><canvas id="points" tabindex="0" role="application" aria-label="Scatter plot of ${size}" aria-describedby="help"></canvas><svg id="axes" aria-hidden="true"></svg><div id="tooltip" hidden></div></div>
${help}
<div id="spoken" role="status"></div>
</div>
<aside>
<section aria-label="Colors"><label id="color-row">Color by <select id="color"></select></label><div id="legend"></div></section>
${drawSpectrum(eigenvalues, coordinates.length)}${drawFacts(facts)}</aside>
</main>
<script type="application/json" id="data">${inScript(JSON.stringify(packPicture(picture)))}</script>
<script>${pageScript}</script>
</body>
</html>
`;
}

const controls = `<div id="controls">
<fieldset id="modes" role="radiogroup" aria-label="View"><label><input type="radio" name="mode" value="plane" checked>2-D</label><label><input type="radio" name="mode" value="pairs">Pairs</label><label><input type="radio" name="mode" value="space">3-D</label></fieldset>
<label class="for-plane">x <select id="axis-x"></select></label>
<label class="for-plane">y <select id="axis-y"></select></label>
<label class="for-space" hidden>z <select id="axis-z"></select></label>
<label class="for-pairs" hidden>coordinates <select id="pair-count"></select></label>
<label>size <input id="size" type="range" min="-1.5" max="1.5" step="0.1" value="0"></label>
<label>find <input id="find" type="search" placeholder="row, id or text"></label><span id="found" role="status"></span>
<button id="reset" type="button">Reset view</button>
</div>`;

const help = `<p id="help" class="hint" data-mode="plane"><span class="flat">Drag to move, wheel or pinch to zoom, double click to reset, click a point to keep its tooltip. Keys: arrows move, + and − zoom, 0 resets, N and P go through the points.</span><span class="spatial">Drag to rotate, Shift + drag to move, wheel or pinch to zoom, double click to reset. Keys: arrows rotate, + and − zoom, 0 resets, N and P go through the points.</span></p>`;

function drawWarnings(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  return `<ul id="warnings" aria-label="Warnings">${warnings.map((text) => `<li>${escape(text)}</li>`).join('')}</ul>\n`;
}

function drawSpectrum(eigenvalues: Float64Array, coordinates: number): string {
  if (eigenvalues.length === 0) return '';
  const note = describeGap(eigenvalues);
  const caption = note ? `<p class="hint">${escape(note)}</p>` : '';
  return `<section><h2>Eigenvalues</h2>${drawEigenvalues(eigenvalues, coordinates)}${caption}</section>\n`;
}

function drawFacts(facts: PageParts['facts']): string {
  if (facts.length === 0) return '';
  const rows = facts.map(([name, value]) => `<tr><th scope="row">${escape(name)}</th><td>${escape(value)}</td></tr>`);
  return `<section><h2>Diagnostics</h2><table>${rows.join('')}</table></section>\n`;
}

/** JSON that cannot end the element that contains it. */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
