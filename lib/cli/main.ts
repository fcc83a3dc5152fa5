#!/usr/bin/env node
/** Where does the command `specnet` begin? */

import { runCommand } from './commands.ts';

process.exitCode = runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
  now: () => performance.now(),
  interactive: process.stderr.isTTY ?? false,
});
