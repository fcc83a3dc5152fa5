/** The worker of the page: a session in its own thread, which handles messages after every time slice. */

import type { Dataset } from '../../lib/formats/dataset.ts';
import { checkKernels } from '../../lib/wasm/kernel-check.ts';
import { loadModel, saveModel } from '../../lib/embedding/model/model-file.ts';
import { exportOnnx } from '../../lib/embedding/onnx/onnx.ts';
import { disableSimd, enableSimd } from '../../lib/wasm/simd.ts';
import { unpackImages } from './engine/data.ts';
import { Session } from './engine/session.ts';
import type { Answer, Request } from './protocol.ts';

const scope = self as unknown as {
  postMessage(answer: Answer, transfer: Transferable[]): void;
  addEventListener(kind: 'message', listener: (event: MessageEvent<Request>) => void): void;
};

let images: Promise<Dataset> | null = null;
const session = new Session({
  now: () => performance.now(),
  tell: (answer) => scope.postMessage(answer, answer.kind === 'frame' ? [answer.frame.coordinates.buffer] : []),
  mnist: () => (images ??= fetchImages()),
});
let running = false;
/** Requests are handled one after another, even if one takes a while. */
let before: Promise<void> = Promise.resolve();
const { port1: wake, port2: sleeper } = new MessageChannel();

async function fetchImages(): Promise<Dataset> {
  const response = await fetch(new URL('mnist.bin', self.location.href));
  if (!response.ok || !response.body)
    throw new Error(`The MNIST sample could not be loaded: status ${response.status}.`);
  return unpackImages(response.body);
}

function tell(answer: Answer): void {
  scope.postMessage(answer, []);
}

function run(wanted: boolean): void {
  const goes = wanted && !session.isDone;
  if (goes && !running) wake.postMessage(null, []);
  running = goes;
  tell({ kind: 'running', running });
}

sleeper.addEventListener('message', () => {
  if (!running) return;
  guarded('learn', () => session.turn());
  if (session.isDone) run(false);
  else if (running) wake.postMessage(null, []);
});
sleeper.start();

function switchSimd(enabled: boolean): void {
  const status = enabled ? enableSimd() : disableSimd();
  tell({ kind: 'simd', enabled: status.enabled, reason: status.enabled ? '' : status.reason });
}

async function fulfil(request: Request): Promise<void> {
  switch (request.kind) {
    case 'open':
      run(false);
      switchSimd(request.settings.simd);
      return session.open(request.settings, request.csv);
    case 'run':
      return run(request.running);
    case 'step':
      run(false);
      return session.step();
    case 'reset':
      run(false);
      return session.reset();
    case 'lanes':
      return session.change(request.lanes);
    case 'simd':
      return switchSimd(request.enabled);
    case 'embed':
      return session.embed(request.points);
    case 'save': {
      const model = session.model(request.lane);
      const bytes = request.format === 'onnx' ? exportOnnx(model) : saveModel(model);
      return tell({ kind: 'saved', name: `model.${request.format}`, bytes });
    }
    case 'load':
      run(false);
      return session.show(loadModel(request.bytes));
    case 'bench': {
      run(false);
      enableSimd();
      const progress = (share: number): void => tell({ kind: 'progress', text: `${Math.round(100 * share)} %` });
      // A browser's clock has a resolution of 0.1 ms unless the page is isolated: 5 ms of calls are accurate to 2 %.
      return tell({ kind: 'bench', report: checkKernels(() => performance.now(), 150, progress, 5) });
    }
  }
}

function guarded(during: Request['kind'] | 'learn', work: () => void | Promise<void>): void | Promise<void> {
  const failed = (error: unknown): void => {
    run(false);
    tell({ kind: 'failed', during, message: error instanceof Error ? error.message : String(error) });
  };
  try {
    return work()?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

scope.addEventListener('message', ({ data: request }) => {
  before = before.then(() => guarded(request.kind, () => fulfil(request)));
});
