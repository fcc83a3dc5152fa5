/** Columns that are called like a label: classes, or a quantity that somebody wants to predict. */

import { isNumeric, mostClasses, type TableColumn } from './column.ts';
import type { Wording } from '../wording.ts';

export const labelNames = /^(labels?|class|classes|target|species)$/i;

/** Whether a column called like a label holds classes: text, yes and no, or whole numbers; as a target, not too many of them. */
export function namesClasses(column: TableColumn): boolean {
  if (!isNumeric(column)) return column.kind === 'category' || column.kind === 'text' || column.kind === 'id';
  if (!column.values.every((value) => Number.isNaN(value) || (value | 0) === value)) return false;
  return !/^target$/i.test(column.name) || new Set(column.values).size <= mostClasses;
}

/** Whether a column is called like a label and holds a quantity, which somebody wants to predict. */
export function isTarget(column: TableColumn): boolean {
  return isNumeric(column) && labelNames.test(column.name) && !namesClasses(column);
}

/** What somebody wants to predict is left out, since it would be one of the coordinates that explain it. */
export function pointOutTarget({ option }: Wording, used: readonly TableColumn[], { name }: TableColumn): string {
  const names = [...used.map((column) => column.name), name];
  const list = names.length <= mostListed ? names : [names[0], '…', name];
  const remedy = `${option('columns', ...list)} makes it a coordinate.`;
  return `'${name}' is called like a label and holds a quantity: it is left out of the points, and may color them. ${remedy}`;
}

/** More names than these are not listed in a remedy. */
const mostListed = 6;
