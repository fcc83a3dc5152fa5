#!/usr/bin/env node
/** The entry point of the `specnet` command. */

import { runCommand } from './commands.ts';

// The reader of a pipe may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
  now: () => performance.now(),
  interactive: process.stderr.isTTY ?? false,
  colored: (process.stdout.isTTY ?? false) && !process.env.NO_COLOR,
});
