/** The chart of eigenvalues, with their largest gap marked. */

import { drawFrame, escape, round } from '../charts/frame.ts';
import { scaleOf, tickLabels } from '../charts/scale.ts';
import { formatNumber } from '../core/readable.ts';

/** The largest drop between two consecutive eigenvalues. */
export interface Eigengap {
  /** The index of the eigenvalue before the gap. 0 is the trivial one. */
  readonly after: number;
  readonly width: number;
  /** How many times wider it is than the next one. */
  readonly prominence: number;
}

/** The trivial eigenvalue of D⁻¹W. Other operators have another one, or another order: it is then not drawn. */
const trivial = 1;

interface Listed {
  readonly index: number;
  readonly value: number;
}

/** The eigenvalues with their indices, the trivial one first if all of them descend from it. */
function listOf(eigenvalues: Float64Array): Listed[] {
  const isBelow = eigenvalues.every((value, k) => value <= (k === 0 ? trivial + 1e-6 : eigenvalues[k - 1] + 1e-6));
  const listed = Array.from(eigenvalues, (value, k) => ({ index: k + 1, value }));
  return isBelow ? [{ index: 0, value: trivial }, ...listed] : listed;
}

/** The largest gap, or null if there are fewer than two gaps to compare. */
export function eigengapOf(eigenvalues: Float64Array): Eigengap | null {
  const listed = listOf(eigenvalues);
  if (listed.length < 3) return null;
  const widths = listed.slice(1).map(({ value }, i) => Math.abs(listed[i].value - value));
  const [width, next] = widths.toSorted((a, b) => b - a);
  return { after: listed[widths.indexOf(width)].index, width, prominence: width / next };
}

/** A gap that is less than this many times wider than the next one says little. */
const leastProminence = 2;

/** Says where the largest gap is. */
export function describeGap(eigenvalues: Float64Array): string {
  const gap = eigengapOf(eigenvalues);
  if (!gap) return '';
  const { after, width, prominence } = gap;
  const before = listOf(eigenvalues)[0].index === 0 ? after + 1 : after;
  const count = before === 1 ? 'One eigenvalue stands' : `${before} eigenvalues stand`;
  const counted = before === after + 1 ? ', the trivial one counted' : '';
  const place = `${formatNumber(width)}, between λ${subscript(after)} and λ${subscript(after + 1)}`;
  if (!(prominence >= leastProminence)) {
    return `No gap stands out. The largest is ${place}, ${prominence.toFixed(1)} times as wide as the next.`;
  }
  return `Largest gap: ${place}. ${count} before it${counted}.`;
}

const [width, height] = [340, 230];
/** How many characters of a label have room beside the axis, and how wide one is at most. */
const [charactersAside, characterWidth] = [7, 7];
/** The frame leaves room for a title above, which the page writes itself. */
const emptyTop = 18;

/** An SVG element for a page that contains the chart style. Hollow marks have no coordinate. */
export function drawEigenvalues(eigenvalues: Float64Array, coordinates: number): string {
  const listed = listOf(eigenvalues);
  // The page has the title above the chart, and eigenvalues near 1 have long labels.
  const axes = { x: { label: 'index' }, y: { label: '' } };
  const last = listed.at(-1)!.index;
  const whole = scaleOf(axes.x, [listed[0].index, Math.max(last, listed[0].index + 1)]);
  const xScale = { ...whole, ticks: indexTicks(listed[0].index, last) };
  const yScale = scaleOf(
    axes.y,
    listed.map(({ value }) => value),
  );
  const frame = drawFrame(axes.x, axes.y, xScale, yScale, width, height);
  const gap = eigengapOf(eigenvalues);
  const band = gap ? drawGap(gap, listed, frame) : '';
  const points = listed.map(({ index, value }) => {
    const [x, y] = [round(frame.x(index)), round(frame.y(value))];
    const paint =
      index > 0 && index <= coordinates
        ? 'fill="var(--blue)" stroke="var(--blue)"'
        : 'fill="var(--page)" stroke="var(--soft)"';
    const role = index === 0 ? ', trivial' : index > coordinates ? ', not a coordinate' : '';
    const title = `<title>λ${subscript(index)} = ${Number(value.toPrecision(7))}${role}</title>`;
    return `<circle cx="${x}" cy="${y}" r="4" stroke-width="1.5" ${paint}>${title}</circle>`;
  });
  const widest = tickLabels(yScale.ticks).reduce((most, { length }) => Math.max(most, length), 0);
  const room = Math.max(0, widest - charactersAside) * characterWidth;
  const label = escape(`Eigenvalues. ${describeGap(eigenvalues)}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="${-room} ${emptyTop} ${width + room} ${height - emptyTop}" role="img" aria-label="${label}">${frame.text}${band}${points.join('')}</svg>`;
}

/** A band between the two eigenvalues on both sides of the gap. */
function drawGap(
  { after }: Eigengap,
  listed: readonly Listed[],
  frame: { x(v: number): number; y(v: number): number },
): string {
  const at = listed.findIndex(({ index }) => index === after);
  const [upper, lower] = [listed[at], listed[at + 1]];
  const [left, right] = [frame.x(upper.index), frame.x(lower.index)];
  const [top, bottom] = [frame.y(upper.value), frame.y(lower.value)].toSorted((a, b) => a - b);
  const middle = (left + right) / 2;
  return (
    `<rect x="${round(left)}" y="${round(top)}" width="${round(right - left)}" height="${round(bottom - top)}" fill="var(--orange)" opacity="0.22"/>` +
    `<path d="M${round(middle)} ${round(top)}V${round(bottom)}" stroke="var(--orange)" stroke-width="2.5"/>` +
    `<path d="M${round(middle - 4)} ${round(top)}h8M${round(middle - 4)} ${round(bottom)}h8" stroke="var(--orange)" stroke-width="2.5"/>`
  );
}

/** At most about ten whole numbers. */
function indexTicks(first: number, last: number): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100].find((size) => (last - first) / size <= 10) ?? Math.ceil((last - first) / 10);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((index) => index % step === 0);
}

function subscript(index: number): string {
  return String(index).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]);
}
