/** Runs a function before a signal ends the process. */

/** Installs a handler that runs `clean` before a signal ends the process. Returns a function that removes the handler. */
export function onInterrupt(clean: () => void): () => void {
  const interrupt = (signal: NodeJS.Signals): void => {
    clean();
    process.kill(process.pid, signal); // `once` has removed the handler, so the signal now ends the process
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
}
