/** What is left of a run? Its report as JSON, and charts, in one folder. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartsOf } from './charts.ts';
import type { Report } from './report.ts';

export const storyFile = 'story.json';

/** The files written. */
export function writeStory(folder: string, report: Report): string[] {
  const files = { [storyFile]: `${JSON.stringify(report, null, 1)}\n`, ...chartsOf(report) };
  mkdirSync(folder, { recursive: true });
  return Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
}
