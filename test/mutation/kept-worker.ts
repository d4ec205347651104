// One worker for all mutants: starting a thread and loading the modules would cost a hundred times what the tests cost.
// Every mutant is in the sources already, behind a switch that is read when its code runs.
import { ThreadsPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node';

/**
 * A test that waits for ever has noticed its mutant; without one it may have to wait for a busy machine. Not set by
 * `vi.setConfig`: what that keeps and brings back after each file is the configuration of the worker's first run.
 */
const PATIENCE_MS = { withMutant: 8000, withoutMutant: 60_000 };

type Listener = (value: unknown) => void;

let thread: ThreadsPoolWorker | undefined;
let isStarted = false;
let isRunning = false;

/** A worker of Vitest that outlives the run it was made for. */
export function createKeptWorker(options: PoolOptions): PoolWorker {
  const listeners = { message: new Set<Listener>(), error: new Set<Listener>(), exit: new Set<Listener>() };
  const tell = (type: 'started' | 'stopped'): void => {
    for (const listener of [...listeners.message]) listener({ type, __vitest_worker_response__: true });
  };
  const heed: Listener = (message) => {
    if ((message as { type?: string }).type === 'testfileFinished') isRunning = false;
  };
  const own = (event: string): Set<Listener> => listeners[event as keyof typeof listeners];
  return {
    name: KEPT,
    on(event, listener) {
      own(event).add(listener);
      thread?.on(event, listener);
    },
    off(event, listener) {
      own(event).delete(listener);
      thread?.off(event, listener);
    },
    send(message: WorkerRequest) {
      if (message.type === 'stop') return queueMicrotask(() => tell('stopped'));
      if (message.type === 'start' && isStarted) return queueMicrotask(() => tell('started'));
      if (message.type === 'start') {
        isStarted = true;
        // They would stand for every later run that is about all tests.
        const { config } = message.context;
        Object.assign(message.context, { config: { ...config, testNamePattern: undefined } });
      }
      if (message.type === 'run') {
        isRunning = true;
        // The names of the tests to run came with the start of a worker.
        const { activeMutant } = message.context.providedContext as { activeMutant?: unknown };
        const patience = activeMutant === undefined ? PATIENCE_MS.withoutMutant : PATIENCE_MS.withMutant;
        const config = { ...options.project.serializedConfig, testTimeout: patience, hookTimeout: patience };
        Object.assign(message.context, { config });
      }
      thread?.send(message);
    },
    deserialize: (data: unknown) => data,
    async start() {
      if (thread) return;
      thread = new ThreadsPoolWorker(options);
      await thread.start();
      thread.on('message', heed);
    },
    async stop() {
      for (const [event, of] of Object.entries(listeners)) {
        for (const listener of of) thread?.off(event, listener);
        of.clear();
      }
      // What does not end is not waited for.
      if (isRunning) await endKeptWorker();
    },
  };
}

export const KEPT = 'kept';

/** At the end of all. */
export async function endKeptWorker(): Promise<void> {
  const ended = thread;
  thread = undefined;
  isStarted = false;
  isRunning = false;
  await ended?.stop();
}
