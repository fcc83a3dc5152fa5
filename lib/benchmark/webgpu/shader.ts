/** The program in WGSL that computes A·X for compressed rows on a graphics card. */

/** The invocations of a workgroup. */
export const groupSize = 64;

/** The shape of a product: constants of its program. */
export interface ProductShape {
  readonly rows: number;
  /** The columns of X. */
  readonly width: number;
  /** The invocations that share a row: a power of two, at most `groupSize`. */
  readonly lanes: number;
}

/** The columns that an invocation computes, as one vector: 4, 2 or 1, so that they divide all. */
export function vectorLength(width: number): 1 | 2 | 4 {
  return width % 4 === 0 ? 4 : width % 2 === 0 ? 2 : 1;
}

/**
 * The invocations that share a row of `meanEntries` entries: enough that each has about four, and at most 32. Blocks of columns share the
 * row as well.
 */
export function lanesOf(meanEntries: number, width: number): number {
  const wanted = meanEntries / 4 / (width / vectorLength(width));
  return 2 ** Math.min(5, Math.max(0, Math.floor(Math.log2(wanted))));
}

/** The number of workgroups of a product. */
export function groupCount({ rows, width, lanes }: ProductShape): number {
  return Math.ceil((rows * (width / vectorLength(width)) * lanes) / groupSize);
}

/**
 * Entry point `main`: `lanes` neighboring invocations add up the entries of one row for one block of columns, each every lanes-th entry, and
 * then their sums, pair by pair. Bindings: starts, columns, values, x, out.
 */
export function productShader({ rows, width, lanes }: ProductShape): string {
  const length = vectorLength(width);
  const vector = length === 1 ? 'f32' : `vec${length}<f32>`;
  const blocks = width / length;
  const buffer = (binding: number, name: string, type: string, access = 'read'): string =>
    `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: array<${type}>;`;
  const strides = Array.from({ length: Math.log2(lanes) }, (_, k) => lanes >> (k + 1));
  return `${[
    buffer(0, 'starts', 'i32'),
    buffer(1, 'columns', 'i32'),
    buffer(2, 'values', 'f32'),
    buffer(3, 'x', vector),
    buffer(4, 'result', vector, 'read_write'),
    ...(lanes > 1 ? [`var<workgroup> sums: array<${vector}, ${groupSize}>;`] : []),
    '',
    `@compute @workgroup_size(${groupSize})`,
    'fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,',
    '        @builtin(local_invocation_index) invocation: u32) {',
    `  let lane = i32(invocation % ${lanes}u);`,
    `  let task = i32((group.y * groups.x + group.x) * ${groupSize / lanes}u + invocation / ${lanes}u);`,
    `  let row = task / ${blocks};`,
    `  let block = task % ${blocks};`,
    `  var sum = ${vector}();`,
    `  if (row < ${rows}) {`,
    `    for (var e = starts[row] + lane; e < starts[row + 1]; e += ${lanes}) {`,
    `      sum += values[e] * x[columns[e] * ${blocks} + block];`,
    '    }',
    '  }',
    ...(lanes > 1 ? ['  sums[invocation] = sum;'] : []),
    ...strides.flatMap((stride) => [
      '  workgroupBarrier();',
      `  if (lane < ${stride}) { sums[invocation] += sums[invocation + ${stride}u]; }`,
    ]),
    `  if (lane == 0 && row < ${rows}) { result[task] = ${lanes > 1 ? 'sums[invocation]' : 'sum'}; }`,
    '}',
  ].join('\n')}\n`;
}
