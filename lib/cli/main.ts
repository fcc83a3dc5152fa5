#!/usr/bin/env node
/** The entry point of the `specnet` command. */

import { runCommand } from './commands.ts';

// The reader of a pipe may close it early, as `head` does. That is not a failure; a full disk is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || process.exitCode === 1) return;
  process.exitCode = 1;
  process.stderr.write(`specnet: expected standard output to accept the report, got ${error.message}.\n`);
});
process.stderr.on('error', () => undefined); // there is nowhere left to report to

const code = await runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
  now: () => performance.now(),
  interactive: process.stderr.isTTY ?? false,
  colored: (process.stdout.isTTY ?? false) && !process.env.NO_COLOR,
});
process.exitCode ||= code; // unless standard output has failed
