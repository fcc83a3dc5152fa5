/**
 * `npm run check:consumers`: installs the packed package in a project of its own, then compiles, bundles and runs it with the
 * compilers, bundlers and runtimes that users have. Exit code 1 if one of them fails.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { installOnce } from '../../bench/competitors/install.ts';
import { formatTable } from '../../lib/charts/table.ts';
import { addPrograms, compilations, compile, makeFolder, pack, removeFolder, run } from '../consumers/project.ts';

const tools = fileURLToPath(new URL('./packages/consumers/', import.meta.url));
const tool = (path: string): string => join(tools, 'node_modules', path);

interface Row {
  readonly consumer: string;
  readonly version: string;
  readonly use: string;
  /** What it printed, on one line. */
  readonly output: string;
  readonly passed: boolean;
}

const rows: Row[] = [];

function report(consumer: string, version: string, use: string, output: string, passed: boolean): void {
  rows.push({ consumer, version, use, output: output.trim().replaceAll(/\s+/g, ' '), passed });
  console.error(`${passed ? '    ok' : 'FAILED'}  ${consumer} ${version}: ${use}`);
  if (passed) return;
  console.error(output);
  process.exitCode = 1;
}

/** Installs with all scripts allowed, and shown: npm prints `> name@version script` for each that runs. */
function install(folder: string): void {
  const words = ['install', '--foreground-scripts', '--loglevel=notice', '--no-audit', '--no-fund', pack(folder)];
  const output = run('npm', words, folder);
  const [added] = /added \d+ packages/.exec(output) ?? [];
  const passed = added !== undefined && !/^> \S+@/m.test(output);
  report('npm', versionOf('npm'), 'install the tarball', passed ? `${added}, ran no script` : output, passed);
  const said = run('npx', ['--no', 'specnet', '--', '--version'], folder);
  const [number] = /^\d+\.\d+\.\d+$/m.exec(said) ?? [];
  report('npm', versionOf('npm'), 'npx specnet --version', number ?? said, number !== undefined);
}

function versionOf(command: string, ...words: string[]): string {
  return /\d+\.\d+\.\d+/.exec(run(command, [...words, '--version'], '.'))?.[0] ?? '?';
}

/** Compiles with each version of the compiler that users may have. */
function compileAll(folder: string): void {
  for (const path of [tool('typescript5'), tool('typescript6'), resolve('node_modules/typescript')]) {
    const { version: number } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { version: string };
    for (const kind of Object.keys(compilations) as (keyof typeof compilations)[]) {
      const output = compile(folder, join(path, 'bin/tsc'), kind);
      report('TypeScript', number, `strict, module ${kind}`, output, output === '');
    }
  }
}

/** Bundles the program into one file and into several, and runs it in Node. */
async function bundleWithEsbuild(folder: string, expected: string): Promise<void> {
  for (const splitting of [false, true]) {
    const outdir = join(folder, splitting ? 'esbuild-split' : 'esbuild-whole');
    const entryPoints = [join(folder, 'program.mjs')];
    await esbuild.build({
      entryPoints,
      bundle: true,
      format: 'esm',
      minify: true,
      splitting,
      outdir,
      logLevel: 'silent',
    });
    const output = run(process.execPath, [join(outdir, 'program.js')], folder);
    const use = splitting ? 'bundle with splitting, run it' : 'bundle into one file, run it';
    report('esbuild', esbuild.version, use, output, digest(output) === expected);
  }
}

/** Builds a page, as users do, and runs its script in Node. A page that uses nothing of the package contains nothing of it. */
function bundleWithVite(folder: string, expected: string): void {
  const vite = tool('vite/bin/vite.js');
  const number = versionOf(process.execPath, vite);
  const build = (entry: string): { said: string; first: string | null; scripts: string[] } => {
    const out = join(folder, `built-${entry}`);
    writeFileSync(join(folder, 'index.html'), `<script type="module" src="/${entry}"></script>`);
    const said = run(process.execPath, [vite, 'build', '--outDir', out], folder);
    if (!existsSync(out)) return { said, first: null, scripts: [] };
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
    // The page names the first script. Others are loaded on demand.
    const [, first] = /<script[^>]* src="([^"]+)"/.exec(readFileSync(join(out, 'index.html'), 'utf8')) ?? [];
    const scripts = files.filter((file) => file.endsWith('.js')).map((file) => join(out, file));
    return { said, first: first ? join(out, first) : null, scripts };
  };
  // The script that loads other scripts early needs a document.
  writeFileSync(join(folder, 'vite.config.mjs'), 'export default { build: { modulePreload: false } };\n');
  writeFileSync(join(folder, 'unused.mjs'), "import 'specnet';\n");
  const used = build('program.mjs');
  const output = used.first ? run(process.execPath, [used.first], folder) : used.said;
  report('Vite', number, 'build a page, run its script', output, digest(output) === expected);
  const unused = build('unused.mjs');
  const bytes = unused.scripts.reduce((sum, file) => sum + readFileSync(file).length, 0);
  const built = existsSync(join(folder, 'built-unused.mjs/index.html'));
  report('Vite', number, "build import 'specnet'", built ? `${bytes} bytes` : unused.said, built && bytes === 0);
}

interface Runtime {
  readonly name: string;
  readonly command: string | undefined;
  readonly words?: readonly string[];
  /** Whether npm has a build for this system. */
  readonly offered: boolean;
  /** Whether it can require ES modules. Default: true. */
  readonly requires?: boolean;
}

function runtimes(): Runtime[] {
  const node = (release: string): string => tool(`node${release}-${process.platform}-${process.arch}/bin/node`);
  const within = (scope: string, file: string): string | undefined => {
    const [first] = existsSync(tool(scope)) ? readdirSync(tool(scope)) : [];
    return first && tool(`${scope}/${first}/${file}`);
  };
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const common = ['x64', 'arm64'].includes(process.arch);
  const linux = common && process.platform === 'linux';
  const offered = common && ['linux', 'darwin', 'win32'].includes(process.platform);
  return [
    { name: 'Node', command: node('20.0'), offered: linux, requires: false },
    ...['20', '22', '24'].map((release) => ({ name: 'Node', command: node(release), offered: linux })),
    { name: 'Deno', command: within('@deno', `deno${suffix}`), offered, words: ['run', '--allow-all'] },
    { name: 'Bun', command: within('@oven', `bin/bun${suffix}`), offered },
  ];
}

/** The first two words of what the program prints: shape and digest of the coordinates. */
function digest(output: string): string {
  return /^\S+ [0-9a-f]{12}(?=,)/.exec(output)?.[0] ?? '';
}

function runIn(
  { name, command, offered, words = [], requires = true }: Runtime,
  folder: string,
  expected: string,
): void {
  if (!offered) {
    console.error(`        ${name}: not tried, because npm has no build of it for ${process.platform} ${process.arch}`);
    return;
  }
  if (!command || !existsSync(command)) {
    report(name, '?', 'install it', `npm did not install it: ${command ?? tools}`, false);
    return;
  }
  const number = versionOf(command);
  const execute = (...rest: string[]): string => run(command, [...words, ...rest], folder);
  const program = execute('program.mjs');
  report(name, number, 'import', program, digest(program) === expected);
  const required = execute('required.cjs');
  if (requires) report(name, number, 'require', required, /^60×2, \d+ modules\n$/.test(required));
  else report(name, number, 'require is refused', 'ERR_REQUIRE_ESM', required.includes('ERR_REQUIRE_ESM'));
  const imported = execute('imported.cjs');
  report(name, number, 'dynamic import in CommonJS', imported, imported === '60×2\n');
  const said = execute('node_modules/specnet/dist/lib/cli/main.js', 'check');
  const [agree] = /All \d+ kernels agree/.exec(said) ?? [];
  report(name, number, 'specnet check', agree ?? said, agree !== undefined);
}

async function main(): Promise<void> {
  const failure = installOnce(tools);
  if (failure) {
    console.error(`check:consumers: compilers and runtimes are not available: ${failure}`);
    process.exitCode = 1;
    return;
  }
  const folder = makeFolder();
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    addPrograms(folder);
    install(folder);
    compileAll(folder);
    const expected = digest(run(process.execPath, ['program.mjs'], folder));
    if (expected === '')
      throw new Error('check:consumers: the program printed no digest in the Node that runs this check.');
    await bundleWithEsbuild(folder, expected);
    bundleWithVite(folder, expected);
    for (const runtime of runtimes()) runIn(runtime, folder, expected);
  } finally {
    removeFolder(folder);
  }
  const lines = rows.map(({ consumer, version, use, output, passed }) => {
    return [consumer, version, use, output.slice(0, 60), passed ? 'works' : 'FAILS'];
  });
  console.log(formatTable(['consumer', 'version', 'use', 'printed', 'verdict'], lines, 5));
}

await main();
