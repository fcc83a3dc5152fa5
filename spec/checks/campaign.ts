/**
 * `npm run check:campaign`: hostile files, points, graphs and options, kills within writes, full disks and competing
 * processes. Prints a table of counts. Exit code 1 if anything was torn, misread, raw or did not return.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign/run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tries: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    kills: { type: 'string', default: '200' },
    fits: { type: 'string', default: '500' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
});
const only = values.only?.split(',');
const report = await runCampaign({
  seed: values.seed,
  tries: Number(values.tries),
  from: Number(values.from),
  kills: Number(values.kills),
  fits: Number(values.fits),
  isWanted: (name) => !only || only.includes(name),
});
if (values.out) writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`);
if (report.failures.length > 0) process.exitCode = 1;
