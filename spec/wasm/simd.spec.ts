/** The bundled library runs where WebAssembly is missing, lacks SIMD, or is forbidden. */

import { createContext, Script } from 'node:vm';
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { enableSimd, simdStatus } from '../../lib/wasm/simd.ts';

const test = suite('switching SIMD');

/** One product, one gradient, and whether SIMD is on. */
const program = `
  const x = specnet.tensor([[1, 2], [3, 4]]);
  const tape = new specnet.Tape();
  const w = tape.watch(x);
  tape.backward(specnet.sum(specnet.multiply(specnet.matmul(x, w), specnet.matmul(x, w))));
  JSON.stringify({ gradient: [...w.gradient.data], status: specnet.simdStatus() });
`;
/** 2·XᵀX·X. */
const gradient = [104, 152, 148, 216];

let bundle = '';
test.before(async () => {
  const options = { bundle: true, write: false, format: 'iife', globalName: 'specnet', logLevel: 'silent' } as const;
  const contents = `export * from './lib/index.ts'; export * from './lib/doors/autodiff.ts';`;
  const result = await build({ ...options, stdin: { contents, resolveDir: process.cwd() } });
  bundle = result.outputFiles[0].text;
});

interface Outcome {
  gradient: number[];
  status: { enabled: boolean; reason?: string };
}

function runIn(globals: object, prepare = '', codeGeneration = { strings: true, wasm: true }): Outcome {
  const context = createContext({ ...globals }, { codeGeneration });
  return JSON.parse(new Script(`${prepare};${bundle};${program}`).runInContext(context));
}

test('on by default where the engine has it', () => {
  const { gradient: found, status } = runIn({});
  assert.is(status.enabled, true);
  assert.equal(found, gradient);
});

test('where a policy forbids compilation the plain kernels serve, and the reason is kept', () => {
  const { gradient: found, status } = runIn({}, '', { strings: false, wasm: false });
  assert.is(status.enabled, false);
  assert.match(status.reason ?? '', /disallowed/);
  assert.equal(found, gradient);
});

test('where the engine has no SIMD', () => {
  const stub = `WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('invalid opcode 0xfd'); } }`;
  const { gradient: found, status } = runIn({}, stub);
  assert.equal(status, { enabled: false, reason: 'invalid opcode 0xfd' });
  assert.equal(found, gradient);
});

test('on a page that may not share memory, SIMD works without sharing', () => {
  const { gradient: found, status } = runIn({ crossOriginIsolated: false });
  assert.equal(status, { enabled: true, shared: false, bytes: 2 ** 30, threads: 1 });
  assert.equal(found, gradient);
});

test('without WebAssembly, the plain kernels run', () => {
  const source = `globalThis.FinalizationRegistry ??= class {}; ${bundle}; console.log((() => { ${program.replace('JSON.stringify', 'return JSON.stringify')} })())`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--jitless', '-'], { input: source, encoding: 'utf8' });
  const outcome = JSON.parse(stdout.trim() || `"${stderr}"`) as Outcome;
  assert.equal(outcome.status, { enabled: false, reason: 'WebAssembly is not defined' });
  assert.equal(outcome.gradient, gradient);
});

test('the status is correct in every state', () => {
  const status = enableSimd();
  assert.equal(simdStatus(), status);
  assert.ok(status.enabled && status.bytes >= 2 ** 26);
});

test.run();
