/** `plotEmbedding`: a picture of an embedding, as a self-contained HTML page or as SVG. */

import { badKind, badValue, checkFinite, showShape } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { Tensor } from '../tensor/tensor.ts';
import { classField, fieldOf } from './fields.ts';
import { drawPage } from './page.ts';
import { colorChoices } from './shared/coloring.ts';
import type { Field, Picture } from './shared/picture.ts';
import { drawScatter } from './scatter.ts';

/** One value for each point: numbers, where NaN means no value, or texts, where '' means no value. */
export type PlotValues = ArrayLike<number> | readonly string[];

/** A column of data about the points. */
export interface PlotColumn {
  readonly name: string;
  readonly values: PlotValues;
}

/** What a picture shows besides the coordinates, and its appearance. */
export interface PlotOptions {
  /** Default: 'html', an interactive page. 'svg' is a still picture for documents. */
  readonly format?: 'html' | 'svg';
  /** Default: 'Embedding'. */
  readonly title?: string;
  /** Default: 'auto', as the system of the reader says. A page has a switch as well. */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** The nontrivial eigenvalues, descending. There may be more than coordinates. A page shows where their largest gap is. */
  readonly eigenvalues?: ArrayLike<number>;
  /** The known class of each point. */
  readonly labels?: PlotValues;
  /** What the labels are called. Default: 'label', also if the name is that of clusters, a column or a coordinate. */
  readonly labelName?: string;
  /** The computed cluster of each point. */
  readonly clusters?: PlotValues;
  /** Further data: colors to choose from, and rows of the tooltip. */
  readonly columns?: readonly PlotColumn[];
  /** The name of each point. Default: its row, counted from 1. */
  readonly ids?: PlotValues;
  /** The names of the coordinates. Default: psi1, psi2, … */
  readonly names?: readonly string[];
  /** What colors the points at first: 'cluster', 'label', or the name of a column or a coordinate. Default: the first of these that is given, or nothing. */
  readonly colorBy?: string;
  /** The axes at first: names of coordinates. Default: the first two. */
  readonly axes?: readonly [x: string, y: string];
  /** Facts about the fit, by name. A page shows them as a table. */
  readonly diagnostics?: Readonly<Record<string, string | number | boolean | null>>;
  /** Sentences that a reader has to know. A page shows them at the top. */
  readonly warnings?: readonly string[];
}

const rules = {
  format: ['html', 'svg'],
  title: 'string',
  theme: ['auto', 'light', 'dark'],
  eigenvalues: 'any',
  labels: 'any',
  labelName: 'string',
  clusters: 'any',
  columns: 'array',
  ids: 'any',
  names: 'array',
  colorBy: 'string',
  axes: 'array',
  diagnostics: 'object',
  warnings: 'array',
} as const satisfies Rules<PlotOptions>;

const caller = 'plotEmbedding';

/**
 * The text of an HTML page or of an SVG file that shows the rows of `coordinates` as points. Both need no other file and
 * no network. Every point is drawn: nothing is thinned out.
 */
export function plotEmbedding(coordinates: Tensor, options: PlotOptions = {}): string {
  checkArguments(coordinates, options);
  const { format = 'html', theme = 'auto', title = 'Embedding', eigenvalues = [], diagnostics = {} } = options;
  const columns = columnsOf(coordinates, options.names);
  const labelName = labelNameOf(columns, options);
  const fields = fieldsOf(coordinates.rows, labelName, options);
  const ids = options.ids && textsOf('ids', options.ids, coordinates.rows);
  const picture: Picture = {
    title,
    rows: coordinates.rows,
    coordinates: columns,
    fields,
    ids: ids ?? null,
    colorBy: null,
    axes: [0, Math.min(1, columns.length - 1)],
  };
  const shown: Picture = {
    ...picture,
    colorBy: colorOf(picture, labelName, options),
    axes: axesOf(picture, options.axes),
  };
  if (format === 'svg') return drawScatter(shown, theme);
  const facts = Object.entries(diagnostics).map(([name, value]) => [name, String(value ?? '–')] as const);
  return drawPage(shown, {
    theme,
    eigenvalues: Float64Array.from(eigenvalues),
    facts,
    warnings: options.warnings ?? [],
  });
}

function checkArguments(coordinates: Tensor, options: PlotOptions): void {
  if (!(coordinates instanceof Tensor)) {
    throw badKind(caller, 'coordinates to be a Tensor', coordinates, 'tensor() makes one of nested arrays.');
  }
  if (coordinates.shape.length !== 2)
    throw badValue(caller, 'coordinates with two axes, n×K', showShape(coordinates.shape));
  if (coordinates.size === 0)
    throw badValue(caller, 'at least one point of one coordinate', showShape(coordinates.shape));
  checkFinite(caller, 'the coordinates', coordinates.data, coordinates.cols);
  checkOptions(caller, options, rules);
  checkFinite(caller, 'the eigenvalues', options.eigenvalues ?? []);
}

function columnsOf({ rows, cols, data }: Tensor, names: readonly string[] | undefined): Picture['coordinates'] {
  if (names && names.length !== cols) throw badValue(caller, `${cols} names, one for each coordinate`, names.length);
  return Array.from({ length: cols }, (_, k) => ({
    name: names?.[k] ?? `psi${k + 1}`,
    values: Float32Array.from({ length: rows }, (__, i) => data[i * cols + k]),
  }));
}

const clusterName = 'cluster';
const defaultLabelName = 'label';

/** The name of the labels, unless something else in the picture has it. */
function labelNameOf(coordinates: Picture['coordinates'], { labelName, clusters, columns = [] }: PlotOptions): string {
  const others = [...(clusters ? [{ name: clusterName }] : []), ...columns, ...coordinates];
  const isTaken = others.some(({ name }) => name === labelName);
  return labelName === undefined || isTaken ? defaultLabelName : labelName;
}

/** Clusters first, then labels, then columns, as they are offered for colors. */
function fieldsOf(rows: number, labelName: string, { clusters, labels, columns = [] }: PlotOptions): Field[] {
  const given = [
    ['clusters', clusterName, clusters],
    ['labels', labelName, labels],
  ] as const;
  const classes = given.flatMap(([what, name, values]) =>
    values === undefined ? [] : [classField(name, textsOf(what, values, rows))],
  );
  const others = columns.map(({ name, values }) => {
    checkLength(`column '${name}'`, values, rows);
    return fieldOf(caller, name, values);
  });
  return [...classes, ...others];
}

/** The values as texts. A number that is not whole is neither a class nor a name. */
function textsOf(what: string, values: PlotValues, rows: number): string[] {
  checkLength(what, values, rows);
  return Array.from(values as ArrayLike<string | number>, (value) =>
    typeof value === 'number' && Number.isNaN(value) ? '' : String(value),
  );
}

function checkLength(what: string, values: PlotValues, rows: number): void {
  if (typeof values !== 'object' || values === null || typeof values.length !== 'number') {
    throw badKind(caller, `${what} to be an array of numbers or texts`, values);
  }
  if (values.length !== rows) throw badValue(caller, `${rows} values in ${what}, one for each point`, values.length);
}

function colorOf(picture: Picture, labelName: string, { colorBy, labels }: PlotOptions): string | null {
  const choices = colorChoices(picture);
  if (colorBy === defaultLabelName && labels && !choices.includes(colorBy)) return labelName;
  if (colorBy === undefined) return picture.fields.find(({ kind }) => kind !== 'texts')?.name ?? null;
  if (choices.includes(colorBy)) return colorBy;
  throw badValue(caller, `colorBy to be one of ${choices.join(', ')}`, `'${colorBy}'`);
}

function axesOf({ coordinates, axes }: Picture, names: PlotOptions['axes']): Picture['axes'] {
  if (names === undefined) return axes;
  const [x, y] = names.map((name) => {
    const index = coordinates.findIndex((one) => one.name === name);
    if (index >= 0) return index;
    throw badValue(caller, `axes among ${coordinates.map((one) => one.name).join(', ')}`, `'${name}'`);
  });
  return [x, y];
}
