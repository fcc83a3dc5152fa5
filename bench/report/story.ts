/** Writes a run to a folder: its report as JSON, and its charts. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartsOf } from './charts.ts';
import type { Report } from './report.ts';

export const storyFile = 'story.json';

/** Returns the names of the files written. */
export function writeStory(folder: string, report: Report): string[] {
  const files = { [storyFile]: `${JSON.stringify(report, null, 1)}\n`, ...chartsOf(report) };
  mkdirSync(folder, { recursive: true });
  return Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
}
