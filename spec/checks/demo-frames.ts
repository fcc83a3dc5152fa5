/** Measures the page while it learns. The numbers are reported, not judged, because they depend on the machine. */

import type { Page } from './chromium.ts';
import type { Scenario } from './demo-visit.ts';

export const measurements: Readonly<Record<string, Scenario>> = {
  'steps a second, with SIMD and without': async (visit) => {
    const page = await visit.open('#data=one-moon&batch=256&hidden=256,256');
    await visit.sees('#speed', /^[1-9]/);
    const simd = await visit.speed();
    await page.uncheck('#simd');
    await visit.sees('#status', /plain kernels/);
    const plain = await visit.speed();
    return `${simd.toFixed(1)} steps a second with SIMD, ${plain.toFixed(1)} without`;
  },
  'frames a second, 2,000 points': framesAt('2000', '#data=two-moons'),
  'frames a second, 20,000 points': framesAt('20000', '#data=one-moon&points=20000&graph=knn&neighbors=100'),
};

export interface Trace {
  /** Frames per second in which at least one canvas was painted. */
  readonly painted: number;
  /** Frames per second that the browser requested. */
  readonly asked: number;
  /** Milliseconds between two frames. */
  readonly longest: number;
}

function framesAt(name: string, address: string): Scenario {
  return async (visit) => {
    const page = await visit.open(address);
    await visit.sees('#numbers', /steps[1-9]/);
    await page.waitForTimeout(500);
    const { painted, asked, longest } = await traceFrames(page, 2000);
    await visit.shoot(`frames-${name}`);
    if (painted === 0) throw new Error('nothing was painted');
    return `${painted.toFixed(1)} painted of ${asked.toFixed(1)} asked for, the longest wait was ${longest.toFixed(0)} ms`;
  };
}

/** Watches the frames of the page for a while. */
export function traceFrames(page: Page, milliseconds: number): Promise<Trace> {
  return page.evaluate(trace, milliseconds);
}

/** Runs in the page. */
function trace(milliseconds: number): Promise<Trace> {
  let isPainted = false;
  const watch = (prototype: object, name: string): void => {
    const methods = prototype as Record<string, (...values: unknown[]) => unknown>;
    const original = methods[name];
    methods[name] = function watched(...values) {
      // The curves are painted on canvases too, but not by these two methods.
      isPainted = true;
      return original.apply(this, values);
    };
  };
  watch(CanvasRenderingContext2D.prototype, 'putImageData');
  watch(WebGL2RenderingContext.prototype, 'drawArrays');
  return new Promise((resolve) => {
    const times: number[] = [];
    let paintings = 0;
    const next = (now: number): void => {
      times.push(now);
      if (isPainted) paintings++;
      isPainted = false;
      if (now - times[0] < milliseconds) return void requestAnimationFrame(next);
      const seconds = (now - times[0]) / 1000;
      const waits = times.slice(1).map((time, i) => time - times[i]);
      resolve({ painted: paintings / seconds, asked: waits.length / seconds, longest: Math.max(...waits) });
    };
    requestAnimationFrame(next);
  });
}
