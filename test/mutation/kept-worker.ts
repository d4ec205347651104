// One worker for all mutants, because starting a thread and loading the modules costs a hundred times as much as the
// tests. The sources contain all mutants, and a switch that is read when their code runs selects one.
import { ThreadsPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node';

/**
 * A test that hangs has detected its mutant; without a mutant, the test may have to wait for a busy machine.
 * `vi.setConfig` cannot set this time limit, because after each file it restores the configuration of the worker's
 * first run.
 */
const PATIENCE_MS = { withMutant: 8000, withoutMutant: 60_000 };

type Listener = (value: unknown) => void;

let thread: ThreadsPoolWorker | undefined;
let isStarted = false;
let isRunning = false;

/** Creates a Vitest worker that outlives its run. */
export function createKeptWorker(options: PoolOptions): PoolWorker {
  const listeners = { message: new Set<Listener>(), error: new Set<Listener>(), exit: new Set<Listener>() };
  const respond = (type: 'started' | 'stopped'): void => {
    for (const listener of [...listeners.message]) listener({ type, __vitest_worker_response__: true });
  };
  const onMessage: Listener = (message) => {
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
      if (message.type === 'stop') return queueMicrotask(() => respond('stopped'));
      if (message.type === 'start' && isStarted) return queueMicrotask(() => respond('started'));
      if (message.type === 'start') {
        isStarted = true;
        // Removes the name pattern, which would also apply to the tests of all later runs.
        const { config } = message.context;
        Object.assign(message.context, { config: { ...config, testNamePattern: undefined } });
      }
      if (message.type === 'run') {
        isRunning = true;
        // Applies the names of the tests to run, which Vitest passes only when a worker starts.
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
      thread.on('message', onMessage);
    },
    async stop() {
      for (const [event, of] of Object.entries(listeners)) {
        for (const listener of of) thread?.off(event, listener);
        of.clear();
      }
      // Terminates the worker if a test hangs.
      if (isRunning) await endKeptWorker();
    },
  };
}

export const KEPT = 'kept';

/** Called after the last run. */
export async function endKeptWorker(): Promise<void> {
  const ended = thread;
  thread = undefined;
  isStarted = false;
  isRunning = false;
  await ended?.stop();
}
