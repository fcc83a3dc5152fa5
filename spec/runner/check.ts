/** `npm run check`: build, types, lint and format, as far as possible at the same time. Prints the output of what failed; exit 1. */

import { spawn } from 'node:child_process';

/** A program of a package is found by the search path that npm gives to scripts. */
async function check(command: string): Promise<void> {
  const start = performance.now();
  let output = '';
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const collect = (text: string): void => void (output += text);
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
  console.log(`${code === 0 ? '    ok' : 'FAILED'} ${seconds} s  ${command}`);
  if (code === 0) return;
  console.log(output);
  process.exitCode = 1;
}

const format = check('oxfmt --check');
await check('npm run --silent build'); // before lint, which follows imports into the build
await Promise.all([format, check('tsc'), check('oxlint --deny-warnings')]);
