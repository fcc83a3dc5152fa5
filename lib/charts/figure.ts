/** The description of figures, independent of page coordinates. `chart.ts` draws them. */

/** A color of the palette, which is safe for color-blind readers. `'ink'` is the color of text, `'pale'` that of no class. */
export type Color =
  | 'ink'
  | 'orange'
  | 'sky'
  | 'green'
  | 'blue'
  | 'vermilion'
  | 'purple'
  | 'yellow'
  | 'gray'
  | 'wine'
  | 'pale';

export const colors: readonly Color[] = [
  'blue',
  'orange',
  'green',
  'purple',
  'sky',
  'vermilion',
  'yellow',
  'ink',
  'gray',
  'wine',
];

export interface Axis {
  /** With the unit, if there is one. */
  readonly label: string;
  /** Default: 'linear'. A logarithmic axis omits values that are not positive. */
  readonly scale?: 'linear' | 'log';
  /** Values that the axis must contain in addition to the data. */
  readonly include?: readonly number[];
}

/** The shape of a mark, so that series differ by more than color. */
export type Shape = 'round' | 'square' | 'diamond' | 'triangle' | 'cross';

/** One curve, with a band or error bars from low to high if these are given. */
export interface Series {
  readonly name: string;
  readonly color: Color;
  readonly dash?: 'solid' | 'dashed' | 'dotted';
  /** A broad, faint line that stays visible under a curve drawn on top of it. */
  readonly broad?: boolean;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
  /** How the range from low to high is drawn. Default: 'band'. */
  readonly spread?: 'band' | 'bars';
  /** Draw a mark at each point instead of a line. */
  readonly marks?: boolean;
  /** The shape of the marks. Default: 'round'. */
  readonly shape?: Shape;
}

/** The name and the appearance of a series. */
export type Style = Pick<Series, 'name' | 'color' | 'dash' | 'broad' | 'marks' | 'shape' | 'spread'>;

/** The data of a series. */
export type Curve = Pick<Series, 'x' | 'y' | 'low' | 'high'>;

export function makeSeries(style: Style, curve: Curve): Series {
  return { ...style, ...curve };
}

export interface LinePanel {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

/** A set of points in one color. */
export interface Cloud {
  readonly name: string;
  readonly color: Color;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface CloudPanel {
  readonly kind: 'cloud';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly clouds: readonly Cloud[];
  /** Use the same scale on both axes. */
  readonly square?: boolean;
  /** Write the name of each cloud at the median of its points, so that clouds differ by more than color. */
  readonly labeled?: boolean;
}

/** Points colored by a value, from the minimum to the maximum. */
export interface ShadedPanel {
  readonly kind: 'shaded';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly px: readonly number[];
  readonly py: readonly number[];
  readonly shade: readonly number[];
  readonly square?: boolean;
}

/** A picture of a square matrix. Cells that are not `seen` are faint. */
export interface MatrixPanel {
  readonly kind: 'matrix';
  readonly title: string;
  readonly size: number;
  /** Row by row. */
  readonly values: readonly number[];
  readonly seen: readonly boolean[];
}

export type Panel = LinePanel | CloudPanel | ShadedPanel | MatrixPanel;

/** A grid of panels under one legend. */
export interface Figure {
  /** Part of the file name. */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly panels: readonly Panel[];
}
