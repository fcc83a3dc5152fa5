/** The worker of the page: a session in its own thread, which answers calls after every time slice. */

import type { Dataset } from '../../lib/formats/dataset.ts';
import { checkKernels } from '../../lib/wasm/kernel-check.ts';
import { saveModel } from '../../lib/embedding/model/model-file.ts';
import { exportOnnx } from '../../lib/embedding/onnx/onnx.ts';
import { disableSimd, enableSimd, simdStatus } from '../../lib/wasm/simd.ts';
import { answerCalls, type CallContext, inOrder, plainClasses } from '../../lib/worker/calls.ts';
import { portToOwner } from '../../lib/worker/ports.ts';
import { unpackImages } from './engine/data.ts';
import { Session } from './engine/session.ts';
import { readModel } from './engine/user-file.ts';
import type { SessionCalls, SessionEvent } from './protocol.ts';

/** Tells the page what happens. Does nothing until the page watches. */
let tell: (event: SessionEvent) => void = () => {};
let images: Promise<Dataset> | null = null;
const session = new Session({
  now: () => performance.now(),
  tell: (event) => tell(event),
  mnist: () => (images ??= fetchImages()),
});
let running = false;
/** Whether a message that runs the next slice is under way. A second one would be a second loop. */
let isWoken = false;
const { port1: wake, port2: sleeper } = new MessageChannel();

async function fetchImages(): Promise<Dataset> {
  const response = await fetch(new URL('mnist.bin', self.location.href));
  if (!response.ok || !response.body)
    throw new Error(`The MNIST sample could not be loaded: status ${response.status}.`);
  return unpackImages(response.body);
}

function run(wanted: boolean): void {
  const goes = wanted && session.isOpen && !session.isDone;
  running = goes;
  if (running) wakeUp();
  tell({ kind: 'running', running });
}

function wakeUp(): void {
  if (!isWoken) wake.postMessage(null, []);
  isWoken = true;
}

sleeper.addEventListener('message', () => {
  isWoken = false;
  if (!running) return;
  try {
    session.tick();
  } catch (error) {
    run(false);
    tell({ kind: 'failed', message: (error as Error).message });
  }
  if (session.isDone) run(false);
  else if (running) wakeUp();
});
sleeper.start();

function switchSimd(enabled: boolean): void {
  const status = enabled ? enableSimd() : disableSimd();
  tell({ kind: 'simd', enabled: status.enabled, reason: status.enabled ? '' : status.reason });
}

/** If other points cannot be opened, learning goes on with those before. */
async function open({ settings, file }: SessionCalls['open']['input'], signal: AbortSignal): Promise<void> {
  const before = running;
  run(false);
  if (settings.simd !== simdStatus().enabled) switchSimd(settings.simd);
  try {
    signal.throwIfAborted();
    await session.open(settings, file, signal);
  } catch (error) {
    run(before);
    throw error;
  }
}

const enqueue = inOrder();

/** Waits for the calls before it. After an error, learning stops. */
function queued<Input, Output>(
  handler: (input: Input, context: CallContext<number>) => Output | Promise<Output>,
): (input: Input, context: CallContext<number>) => Promise<Output> {
  return (input, context) =>
    enqueue(async () => {
      try {
        return await handler(input, context);
      } catch (error) {
        run(false);
        throw error;
      }
    });
}

answerCalls<SessionCalls>(portToOwner(), plainClasses, {
  watch: (_, { notify }) => {
    tell = notify;
    return new Promise<never>(() => {});
  },
  open: (input, { signal }) => enqueue(() => open(input, signal)),
  run: queued(run),
  step: queued(async () => {
    run(false);
    await session.step();
  }),
  reset: queued(() => {
    run(false);
    session.reset();
  }),
  change: queued((lanes) => session.change(lanes)),
  switchSimd: queued(switchSimd),
  embed: queued((points) => session.embed(points)),
  task: () => enqueue(() => session.task()),
  save: queued(({ lane, format }) => {
    const model = session.model(lane);
    return format === 'onnx' ? exportOnnx(model) : saveModel(model);
  }),
  load: (file) =>
    enqueue(() => {
      session.show(readModel(file));
      run(false); // only now, so that learning goes on after a file that cannot be read
    }),
  bench: queued((_, { notify }) => {
    run(false);
    enableSimd();
    // A browser's clock has a resolution of 0.1 ms unless the page is isolated: 5 ms of calls are accurate to 2 %.
    return checkKernels(() => performance.now(), 60, notify, 5);
  }),
});
