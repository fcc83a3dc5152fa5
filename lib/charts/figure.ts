/** What can a chart show? A description without a coordinate of the page in it; `chart.ts` draws it. */

/** A place in the palette, which a colour-blind reader can tell apart; `'ink'` is that of the text. */
export type Colour = 'ink' | 'orange' | 'sky' | 'green' | 'blue' | 'vermilion' | 'purple' | 'yellow' | 'grey' | 'wine';

export const colours: readonly Colour[] = [
  'blue',
  'orange',
  'green',
  'purple',
  'sky',
  'vermilion',
  'yellow',
  'ink',
  'grey',
  'wine',
];

export interface Axis {
  /** With its unit, where it has one. */
  readonly label: string;
  /** 'linear' unless said. Values that a logarithm cannot show are left out. */
  readonly scale?: 'linear' | 'log';
  /** What must be in sight, besides the data. */
  readonly include?: readonly number[];
}

/** What a mark looks like, so that colours need not be told apart. */
export type Shape = 'round' | 'square' | 'diamond' | 'triangle' | 'cross';

/** One curve, with a band from low to high or error bars where these are given. */
export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly dash?: 'solid' | 'dashed' | 'dotted';
  /** Broad and faint, so that a curve on top of it leaves it in sight. */
  readonly broad?: boolean;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
  /** How the spread is drawn: 'band' unless said. */
  readonly spread?: 'band' | 'bars';
  /** A mark at each point, and no line between. */
  readonly marks?: boolean;
  /** Of the marks: round unless said. */
  readonly shape?: Shape;
}

/** How a curve is called and drawn. */
export type Style = Pick<Series, 'name' | 'colour' | 'dash' | 'broad' | 'marks' | 'shape' | 'spread'>;

/** Where it runs. */
export type Course = Pick<Series, 'x' | 'y' | 'low' | 'high'>;

export function drawn(style: Style, course: Course): Series {
  return { ...style, ...course };
}

export interface LinePanel {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

/** Points of one colour. */
export interface Cloud {
  readonly name: string;
  readonly colour: Colour;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface CloudPanel {
  readonly kind: 'cloud';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly clouds: readonly Cloud[];
  /** One scale for both axes. */
  readonly square?: boolean;
  /** Write names where most of their points are, so that colours need not be told apart. */
  readonly named?: boolean;
}

/** Points coloured by a number of each, from the least to the greatest. */
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

/** A square matrix as a picture; cells that are not `seen` are faint. */
export interface MatrixPanel {
  readonly kind: 'matrix';
  readonly title: string;
  readonly size: number;
  /** Row by row. */
  readonly values: readonly number[];
  readonly seen: readonly boolean[];
}

export type Panel = LinePanel | CloudPanel | ShadedPanel | MatrixPanel;

/** Panels side by side, under one legend. */
export interface Figure {
  /** For its file. */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly panels: readonly Panel[];
}
