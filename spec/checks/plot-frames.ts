/** Measures how long a page of plotEmbedding takes to open, and its frames while points move. Reported, not judged. */

import type { Page } from './chromium.ts';
import type { Scenario } from './demo-visit.ts';
import type { PlotScenario } from './plot-scenarios.ts';

export const plotFrames: Readonly<Record<string, PlotScenario>> = {
  'open 20,000 points': { pages: ['medium.html'], scenario: openingOf('medium.html') },
  'open 100,000 points': { pages: ['large.html'], scenario: openingOf('large.html') },
  'frames at 20,000 points': { pages: ['medium.html'], scenario: framesOf('medium.html') },
  'frames at 100,000 points': { pages: ['large.html'], scenario: framesOf('large.html') },
};

/** From the start of the navigation to the first drawing. */
function openingOf(name: string): Scenario {
  return async (visit) => {
    const page = await visit.open(name);
    await page.waitForSelector('#axes text', { state: 'attached' });
    await visit.shoot(`plot-${name}`);
    const busy = await busyTime(page);
    const { opened, drawn } = await page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return { opened: entry.domContentLoadedEventEnd, drawn: paint?.startTime ?? NaN };
    });
    const times = [opened, drawn, busy].map((time) => time.toFixed(0));
    return `script done after ${times[0]} ms, first paint after ${times[1]} ms; ${times[2]} ms of processor time in the page`;
  };
}

/** The processor time of the page's thread, in milliseconds, which does not depend on other programs as the clock does. */
async function busyTime(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(await page.evaluate(() => location.href));
  await page.waitForSelector('#axes text', { state: 'attached' });
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

/** Drags for two seconds in every view. */
function framesOf(name: string): Scenario {
  return async (visit) => {
    const page = await visit.open(name);
    const reported: string[] = [];
    for (const mode of ['plane', 'pairs', 'space']) {
      await page.click(`#modes label:has([value=${mode}])`);
      await page.waitForTimeout(200);
      const { median, longest, fastest } = await page.evaluate(drag);
      await visit.shoot(`plot-${name}-${mode}`);
      reported.push(
        `${mode} ${median.toFixed(0)} ms (longest ${longest.toFixed(0)}, fastest drawing ${fastest.toFixed(0)})`,
      );
    }
    return reported.join(', ');
  };
}

/** Runs in the page: moves the points a little before every frame. */
function drag(): Promise<{ median: number; longest: number; fastest: number }> {
  const canvas = document.querySelector('#points')!;
  canvas.setPointerCapture = () => {};
  const { left, top } = canvas.getBoundingClientRect();
  const send = (kind: string, x: number): void => {
    canvas.dispatchEvent(new PointerEvent(kind, { clientX: left + x, clientY: top + 300, pointerId: 1, buttons: 1 }));
  };
  send('pointerdown', 400);
  return new Promise((resolve) => {
    const times: number[] = [];
    const drawings: number[] = [];
    const next = (now: number): void => {
      times.push(now);
      if (now - times[0] < 2000) {
        send('pointermove', 400 + 100 * Math.sin(now / 300));
        // The page draws in the callback that it asked for just now, and this one comes after it.
        let start = 0;
        requestAnimationFrame((begun) => {
          start = begun;
          drawings.push(performance.now() - start);
        });
        return void requestAnimationFrame(next);
      }
      send('pointerup', 400);
      const median = (list: number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
      const waits = times.slice(1).map((time, i) => time - times[i]);
      resolve({ median: median(waits), longest: Math.max(...waits), fastest: Math.min(...drawings) });
    };
    requestAnimationFrame(next);
  });
}
