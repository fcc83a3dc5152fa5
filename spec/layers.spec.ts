/** Imports go strictly downward, between folders and between the rooms of a folder. Type imports count. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('layers');

/** A folder may import from folders above it in this list, never from its own row or below. */
const layers = [
  ['core', 'kernels'],
  ['wasm', 'charts', 'files'],
  ['tensor', 'tasks'],
  ['sparse', 'linalg'],
  ['autodiff', 'benchmark', 'formats', 'graph', 'pictures'],
  ['matrices', 'network', 'storage'],
  ['spectral'],
  ['embedding', 'theory'],
  ['experiments', 'worker'],
  ['cli', 'doors'],
];

/**
 * The rooms of a folder, lowest first: a room may import from rooms before it in this list. Files beside the rooms stand
 * above all of them, unless they are listed here by name or, all together, as '*.ts'.
 */
const rooms: Record<string, readonly string[]> = {
  kernels: ['*.ts', 'formats', 'batch', 'nearest'],
  wasm: ['assembler', 'memory', 'threads', 'simd'],
  'wasm/simd': [
    'loops.ts',
    'columns.ts',
    'elementwise',
    'dense',
    'rows',
    'pages',
    'slice',
    'compression',
    'sparse',
    'products',
    'symmetric',
    'sparse-rows',
    'pullbacks',
    'optimizer',
    'gradient',
    'double',
    'reduce',
    'moving-rows',
    'vectors',
    'panels',
    'blocks',
    'galerkin',
    'nearest',
  ],
  files: ['*.ts', 'records', 'pieces'],
  sparse: [
    'indices.ts',
    'csr.ts',
    'sort-rows.ts',
    'build.ts',
    'combine.ts',
    'inspect.ts',
    'slices',
    'orders',
    'formats',
  ],
  formats: ['bytes', 'dataset.ts', 'csv', 'numpy', 'matrix-market', 'table'],
  'formats/table': ['wording.ts', 'filled.ts', 'delimiter.ts', 'columns', 'text', 'records'],
  graph: ['neighbors', 'components.ts', 'weight-scale.ts', 'graph.ts', 'affinity'],
  'graph/neighbors': ['points.ts', 'heaps.ts', 'hit-list.ts', 'neighbor-rows.ts', 'tree', 'blocks', 'descent'],
  network: ['optimizer', 'layers', 'bodies'],
  storage: [
    'arrays',
    'array-garbage.ts',
    'memory-budget.ts',
    'graph',
    'stored-points.ts',
    'buckets',
    'neighbors',
    'fit',
  ],
  spectral: ['pencil', 'spectrum', 'descent', 'ritz', 'regression', 'solve', 'train', 'stored'],
  'spectral/descent': ['*.ts', 'rows', 'descent.ts'],
  linalg: ['*.ts', 'lanczos', 'multilevel', 'factorization'],
  'linalg/multilevel': ['blocks', 'hierarchy', 'iteration'],
  embedding: ['clustering', 'eigenmaps', 'model', 'preprocessing', 'onnx'],
  pictures: ['shared', 'browser'],
  theory: ['continuum', 'instances', 'statements'],
  'theory/statements': ['landscape', 'descent', 'solver'],
  experiments: ['shared', 'recipes', 'report'],
  benchmark: ['timing.ts', 'machine', 'measure', 'webgpu', 'bench-matrix.ts', 'report'],
  'experiments/recipes': ['direct.ts', 'one-moon', 'two-moons', 'mnist'],
  cli: ['flags', 'shared', 'commands'],
  'cli/commands': ['*.ts', 'bench', 'demo', 'reproduce', 'tasks'],
};

/** The only file below lib that may import each package. */
const owners: Record<string, string> = {
  'seedrandom/lib/alea.js': 'core/random.ts',
  ndarray: 'tensor/to-ndarray.ts',
  'ml-matrix': 'linalg/eigen.ts',
};

const levelOf = (folder: string): number => layers.findIndex((row) => row.includes(folder));

/** The file below lib that an import line refers to. */
const pathOf = (file: string, from: string): string => new URL(from, `file:///${file}`).pathname.slice(1);

interface Import {
  file: string;
  folder: string;
  from: string;
}

const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports: Import[] = files.flatMap((file) => {
  const source = readFileSync(`lib/${file}`, 'utf8');
  const lines = source.matchAll(/^\s*(?:import|export)\b[^;]*?from '([^']+)'|import\('([^']+)'\)/gms);
  return [...lines].map((match) => ({ file, folder: file.split('/')[0], from: match[1] ?? match[2] }));
});

test('the reader of import lines finds them', () => {
  assert.ok(imports.length > 100, `${imports.length}`);
  assert.ok(
    imports.some(({ file, from }) => file === 'kernels/dense.ts' && from === './types.ts'),
    'a type import',
  );
  assert.ok(
    imports.some(({ file, from }) => file === 'spectral/spectrum/load.ts' && from === './on-demand.ts'),
    'an import on demand',
  );
});

test('imports go strictly downward, and siblings do not import each other', () => {
  for (const { file, folder, from } of imports.filter((line) => line.from.startsWith('../'))) {
    // Data sets are outside lib and below these two folders: experiments use them, and the command line reads them.
    const target = pathOf(file, from).split('/')[0];
    if (target === folder || (['cli', 'experiments'].includes(folder) && target === 'datasets')) continue;
    assert.ok(levelOf(folder) >= 0, `lib/${file}: ${folder} has no layer`);
    assert.ok(levelOf(target) >= 0, `lib/${file} imports ${from}: ${target} has no layer`);
    assert.ok(levelOf(target) < levelOf(folder), `lib/${file} imports ${from}: not downward`);
  }
});

const levelInFolder = (order: readonly string[], room: string): number => {
  const place = order.indexOf(room.endsWith('.ts') && !order.includes(room) ? '*.ts' : room);
  return place < 0 ? order.length : place;
};

test('files are written by one room', () => {
  const writers =
    /\b(writeFile|appendFile|createWriteStream|write|rename|copyFile|truncate|mkdir|symlink|link)(Sync)?\b/;
  const found = files.filter((file) => {
    const lists = readFileSync(`lib/${file}`, 'utf8').matchAll(/^import (\{[^}]*\}) from 'node:fs(?:\/promises)?'/gm);
    return [...lists].some(([, names]) => writers.test(names));
  });
  assert.ok(found.length > 0 && found.every((file) => file.startsWith('files/')), found.join(', '));
});

test('rooms import from the rooms before them', () => {
  for (const { file, from } of imports.filter((line) => line.from.startsWith('.'))) {
    const target = pathOf(file, from);
    for (const [folder, order] of Object.entries(rooms)) {
      if (![file, target].every((path) => path.startsWith(`${folder}/`))) continue;
      const [room, other] = [file, target].map((path) => path.slice(folder.length + 1).split('/')[0]);
      const [level, below] = [room, other].map((name) => levelInFolder(order, name));
      const isBeside = level === below && room.endsWith('.ts') && other.endsWith('.ts');
      assert.ok(room === other || isBeside || below < level, `lib/${file} imports ${from}: not downward`);
    }
  }
});

test('every folder with several subfolders gives them an order', () => {
  const subfolders = new Map<string, Set<string>>();
  for (const file of files) {
    const path = file.split('/').slice(0, -1);
    for (let depth = 1; depth < path.length; depth++) {
      const folder = path.slice(0, depth).join('/');
      subfolders.set(folder, (subfolders.get(folder) ?? new Set()).add(path[depth]));
    }
  }
  assert.ok(subfolders.size > 20, `${subfolders.size}`);
  for (const [folder, inside] of subfolders) {
    assert.ok(inside.size < 2 || folder in rooms, `lib/${folder} has no order for ${[...inside].join(', ')}`);
  }
});

test('every room has its place', () => {
  for (const [folder, order] of Object.entries(rooms)) {
    const inside = files.filter((file) => file.startsWith(`${folder}/`));
    const names = new Set(inside.map((file) => file.slice(folder.length + 1).split('/')[0]));
    for (const name of names) assert.ok(name.endsWith('.ts') || order.includes(name), `lib/${folder}/${name}`);
    for (const name of order) assert.ok(name === '*.ts' || names.has(name), `no lib/${folder}/${name}`);
  }
});

test('the table in CONTRIBUTING.md has the same levels', () => {
  const table = readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| (\d) +\| `lib\/(\w+)` /gm);
  const reported = Array.from(table, ([, level, folder]) => [folder, Number(level)] as const);
  assert.equal(
    reported,
    layers.flatMap((row, level) => row.map((folder) => [folder, level] as const)),
  );
});

test('no folder imports in a circle', () => {
  const targets = new Map(files.map((file): [string, string[]] => [file, []]));
  for (const { file, from } of imports) if (from.startsWith('.')) targets.get(file)!.push(pathOf(file, from));
  for (const file of files) {
    const seen = new Set<string>();
    const visit = (at: string): void => {
      for (const target of targets.get(at) ?? []) {
        assert.is.not(target, file, `lib/${file} imports itself through lib/${at}`);
        if (seen.has(target)) continue;
        seen.add(target);
        visit(target);
      }
    };
    visit(file);
  }
});

test('each runtime package is imported by its owner alone; Node by the command line and by those who read and write files', () => {
  for (const { file, folder, from } of imports.filter((line) => !line.from.startsWith('.'))) {
    if (
      (['cli', 'files', 'storage', 'tasks'].includes(folder) || file === 'formats/disk.ts') &&
      from.startsWith('node:')
    )
      continue;
    assert.is(owners[from], file, `lib/${file} imports ${from}`);
  }
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(Object.keys(dependencies).toSorted(), ['ml-matrix', 'ndarray', 'seedrandom']);
});

test('only the kernel table holds mutable state: no clock and no unseeded draw anywhere', () => {
  for (const file of files) {
    const source = readFileSync(`lib/${file}`, 'utf8');
    assert.not.match(source, /Math\.random|Date\.now|new Date\(/, `lib/${file}`);
    if (file !== 'wasm/simd.ts')
      assert.not.match(source, /^(?:export )?let /m, `lib/${file} has a mutable module variable`);
  }
});

test.run();
