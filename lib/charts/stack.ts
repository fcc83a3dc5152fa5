/** Several SVG charts below each other, as one SVG file. */

import { escape } from './frame.ts';

const pageWidth = 1080;

/** The charts are standalone SVG texts of the width of a page. */
export function stackCharts(title: string, charts: readonly string[]): string {
  let top = 0;
  const parts = charts.map((chart) => {
    const height = Number(/viewBox="0 0 \d+ ([\d.]+)"/.exec(chart)![1]);
    const part = chart.trim().replace('<svg ', `<svg y="${top}" width="${pageWidth}" height="${height}" `);
    top += height;
    return part;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${pageWidth} ${top}" role="img" aria-label="${escape(title)}"><title>${escape(title)}</title>${parts.join('')}</svg>\n`;
}
