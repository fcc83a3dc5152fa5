/** Measures the frame rate during training. The rate is reported, not judged, because it depends on the machine. */

import type { Deed } from './demo-visit.ts';

export const frameRates: Readonly<Record<string, Deed>> = {
  'frames a second, 2,000 points': framesAt('2000', '#data=two-moons'),
  'frames a second, 20,000 points': framesAt('20000', '#data=one-moon&points=20000&graph=knn&neighbors=100'),
};

interface Trace {
  /** Frames per second in which at least one canvas was painted. */
  readonly painted: number;
  /** Frames per second that the browser requested. */
  readonly asked: number;
  /** Milliseconds between two frames. */
  readonly longest: number;
}

function framesAt(name: string, address: string): Deed {
  return async (visit) => {
    const page = await visit.open(address);
    await visit.sees('#numbers', /steps[1-9]/);
    await page.waitForTimeout(500);
    const { painted, asked, longest } = await page.evaluate(trace);
    await visit.shoot(`frames-${name}`);
    if (painted === 0) throw new Error('nothing was painted');
    return `${painted.toFixed(1)} painted of ${asked.toFixed(1)} asked for, the longest wait was ${longest.toFixed(0)} ms`;
  };
}

/** Runs in the page for two seconds. */
function trace(): Promise<Trace> {
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
      if (now - times[0] < 2000) return void requestAnimationFrame(next);
      const seconds = (now - times[0]) / 1000;
      const waits = times.slice(1).map((time, i) => time - times[i]);
      resolve({ painted: paintings / seconds, asked: waits.length / seconds, longest: Math.max(...waits) });
    };
    requestAnimationFrame(next);
  });
}
