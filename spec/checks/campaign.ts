/**
 * `npm run check:campaign`: hostile files, points, graphs and options, kills within writes, full disks and competing
 * processes. Prints tables of counts. Exit code 1 if anything was torn, misread, raw or did not return.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { documentPath, merge, recordedCampaign, recordPath, withFigures, writeRecord } from './campaign/record.ts';
import { failuresOf, runCampaign } from './campaign/run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tries: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    kills: { type: 'string' },
    fits: { type: 'string', default: '500' },
    only: { type: 'string' },
    writers: { type: 'string' },
    out: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const only = values.only?.split(',');
const writers = values.writers?.split(';');
const path = values.out ?? (values.record ? recordPath : undefined);
const before = path ? recordedCampaign(path) : null;
const report = await runCampaign({
  seed: values.seed,
  tries: Number(values.tries),
  from: Number(values.from),
  kills: values.kills === undefined ? undefined : Number(values.kills),
  fits: Number(values.fits),
  isWanted: (name) => !only || only.includes(name),
  isWriterWanted: (name) => !writers || writers.includes(name),
  record: (now) => path && writeRecord(path, merge(before, now)),
});
if (values.record) {
  writeFileSync(documentPath, await withFigures(readFileSync(documentPath, 'utf8'), merge(before, report)));
}
for (const failure of failuresOf(report)) console.log(failure);
if (failuresOf(report).length > 0) process.exitCode = 1;
