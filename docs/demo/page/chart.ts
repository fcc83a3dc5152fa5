/** Line charts with a logarithmic scale, drawn without a library: they have a few hundred points at most. */

export interface Line {
  readonly color: string;
  readonly dash: readonly number[];
  readonly width: number;
  /** In ascending order. */
  readonly across: readonly number[];
  readonly up: readonly number[];
}

export interface ChartColors {
  readonly grid: string;
  readonly text: string;
}

/** Smaller values are drawn at the bottom: they are rounding errors. */
const floor = 1e-7;

export function drawChart(canvas: HTMLCanvasElement, lines: readonly Line[], unit: string, colors: ChartColors): void {
  const ratio = Math.min(2, devicePixelRatio);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0) return;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const box = { left: 44, right: width - 10, top: 10, bottom: height - 24 };
  const [least, most] = decades(lines);
  const last = Math.max(1e-9, ...lines.map(({ across }) => across[across.length - 1] ?? 0));
  const x = (value: number): number => box.left + ((box.right - box.left) * value) / last;
  const y = (value: number): number => {
    const fraction = (Math.log10(Math.max(value, floor)) - least) / (most - least);
    return box.bottom - (box.bottom - box.top) * Math.min(1, fraction);
  };
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = colors.text;
  context.strokeStyle = colors.grid;
  context.lineWidth = 1;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (let decade = least; decade <= most; decade++) {
    const top = Math.round(y(10 ** decade)) + 0.5;
    context.beginPath();
    context.moveTo(box.left, top);
    context.lineTo(box.right, top);
    context.stroke();
    context.fillText(powerOfTen(decade), box.left - 6, top);
  }
  context.textBaseline = 'alphabetic';
  for (const fraction of [0, 0.5, 1]) {
    context.textAlign = fraction === 0 ? 'left' : fraction === 1 ? 'right' : 'center';
    context.fillText(`${short(last * fraction)} ${unit}`, box.left + (box.right - box.left) * fraction, height - 7);
  }
  context.lineJoin = 'round';
  for (const { color, dash, width: thick, across, up } of lines) {
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.setLineDash([...dash]);
    context.beginPath();
    for (let i = 0; i < across.length; i++) {
      if (i === 0) context.moveTo(x(across[i]), y(up[i]));
      else context.lineTo(x(across[i]), y(up[i]));
    }
    context.stroke();
    context.setLineDash([]);
    const end = across.length - 1;
    if (end < 0) continue;
    context.fillStyle = color;
    context.beginPath();
    context.arc(x(across[end]), y(up[end]), 3, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colors.text;
  }
}

/** The powers of ten around all values, at least two. */
function decades(lines: readonly Line[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const { up } of lines) {
    for (const value of up) {
      const shown = Math.max(value, floor);
      if (shown < low) low = shown;
      if (shown > high) high = shown;
    }
  }
  if (low > high) return [-3, 0];
  const bottom = Math.floor(Math.log10(low));
  return [bottom, Math.max(bottom + 1, Math.ceil(Math.log10(high)))];
}

function powerOfTen(decade: number): string {
  if (decade >= -3 && decade <= 2) return String(10 ** decade).replace(/(\.0*1).*/, '$1');
  return `10${[...String(decade)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '⁻').join('')}`;
}

export function short(value: number): string {
  if (value === 0) return '0';
  if (value >= 10_000) return `${(value / 1000).toFixed(0)}k`;
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(2);
}
