/** The contents of a picture: the coordinates of points, and the fields of each point. */

/** A property of all points. */
export type Field = NumberField | ClassField | TextField;

/** Numbers, shown on a color scale. NaN means that a point has no value. */
export interface NumberField {
  readonly kind: 'numbers';
  readonly name: string;
  readonly values: NumberArray;
}

/** Texts that repeat, shown as colored classes. */
export interface ClassField {
  readonly kind: 'classes';
  readonly name: string;
  /** The different texts, in the order of the legend. */
  readonly classes: readonly string[];
  /** The class of each point, or `classes.length` for a point without one. */
  readonly codes: NumberArray;
}

/** Texts that hardly repeat, such as names. They describe a point but do not color it. */
export interface TextField {
  readonly kind: 'texts';
  readonly name: string;
  readonly values: readonly string[];
}

/** The typed arrays that pages contain. */
export type NumberArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Float32Array | Float64Array;

/** One coordinate of all points. */
export interface Coordinate {
  readonly name: string;
  readonly values: Float32Array;
}

export interface Picture {
  readonly title: string;
  /** The number of points. */
  readonly rows: number;
  /** The coordinates, column by column. */
  readonly coordinates: readonly Coordinate[];
  readonly fields: readonly Field[];
  /** The name of each point. Null: points are called by their row, counted from 1. */
  readonly ids: readonly string[] | null;
  /** The name of the field or coordinate that colors the points at first. Null: none. */
  readonly colorBy: string | null;
  /** The coordinates on the horizontal and the vertical axis at first. The same one twice: there is only one. */
  readonly axes: readonly [x: number, y: number];
}

/** The text of a field at a point. Empty if the point has no value. */
export function fieldText(field: Field, row: number): string {
  if (field.kind === 'numbers') return Number.isNaN(field.values[row]) ? '' : numberText(field.values[row]);
  if (field.kind === 'classes') return field.classes[field.codes[row]] ?? '';
  return field.values[row];
}

/** A number with up to seven digits, which is the precision of Float32, or as a whole number. */
export function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}

/** How a point is called. */
export function rowName({ ids }: Pick<Picture, 'ids'>, row: number): string {
  return ids?.[row] ?? `row ${row + 1}`;
}

/** The values along both axes. If both are the same coordinate, the vertical axis is the row. */
export function axisValues({ coordinates, rows }: Picture, [x, y]: Picture['axes']): readonly Coordinate[] {
  return [coordinates[x], x === y ? rowAxis(rows) : coordinates[y]];
}

/** The number of each row, counted from 1, as an axis. */
export function rowAxis(rows: number): Coordinate {
  return { name: 'row', values: Float32Array.from({ length: rows }, (_, row) => row + 1) };
}
