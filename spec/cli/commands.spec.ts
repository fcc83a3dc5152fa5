import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../lib/cli/commands.ts';
import { plainKernels } from '../../lib/kernels/table.ts';
import { enableSimd } from '../../lib/wasm/simd.ts';

const test = suite('command line');

/** A clock on which every look takes 40 ms, so that nothing is measured for long. */
function run(args: string[], interactive = false): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  let time = 0;
  const code = runCommand(args, {
    print: (text) => void (out += text),
    note: (text) => void (err += text),
    now: () => (time += 40),
    interactive,
  });
  return { code, out, err };
}

test.after.each(() => void enableSimd());

test('check prints a table for people', () => {
  const { code, out, err } = run(['check']);
  assert.is(code, 0);
  assert.match(
    out,
    /^SIMD kernels on, .* GiB of shared addresses\n\nkernel +size +plain +SIMD +faster +reaches +differs by\n/,
  );
  assert.match(out, /matmul +45×784·256 .* GFLOP\/s/);
  assert.match(out, /All 10 agree with their plain twins\.\n$/);
  assert.is(err, '');
});

test('check --json prints one object and nothing else; progress goes to standard error', () => {
  const { code, out, err } = run(['check', '--json'], true);
  const report = JSON.parse(out);
  assert.is(code, 0);
  assert.is(report.agree, true);
  assert.is(report.simd.enabled, true);
  for (const { kernel, plain, simd, reaches, difference } of report.kernels) {
    assert.ok(plain > 0 && simd > 0 && reaches > 0 && difference < 1e-4, kernel);
  }
  assert.match(err, /checking the kernels … 50 %/);
});

test('quiet means no progress', () => {
  assert.is(run(['check', '--json', '--quiet'], true).err, '');
});

test('check --no-simd says that SIMD is off', () => {
  const { code, out } = run(['check', '--no-simd']);
  assert.is(code, 0);
  assert.match(out, /^SIMD kernels off: switched off\n/);
  assert.match(out, / in use /);
});

test('a kernel that computes something else is found: exit 1', () => {
  const { adamStep } = plainKernels;
  plainKernels.adamStep = () => {};
  try {
    const { code, out } = run(['check']);
    assert.is(code, 1);
    assert.match(out, /differ from their plain twins by more than rounding/);
  } finally {
    plainKernels.adamStep = adamStep;
  }
});

test('wrong usage is answered in a line: exit 2', () => {
  const answers: [string[], RegExp][] = [
    [['embroider'], /^specnet: there is no command 'embroider'; there is check\. Try specnet --help\.\n$/],
    [['toString'], /there is no command 'toString'/],
    [['check', '--fast'], /^specnet: Unknown option '--fast'\. Try specnet --help\.\n$/],
    [['check', 'points.csv'], /^specnet check: takes no arguments, got 'points\.csv'/],
  ];
  for (const [args, answer] of answers) {
    const { code, out, err } = run(args);
    assert.is(code, 2);
    assert.is(out, '');
    assert.match(err, answer);
  }
});

test('help is printed when asked for, and when nothing was', () => {
  const asked = run(['--help']);
  assert.is(asked.code, 0);
  assert.match(asked.out, /Usage\n {2}specnet check/);
  assert.equal(run(['-h']).out, asked.out);
  assert.equal([run([]).code, run([]).out], [2, asked.out]);
});

test.run();
