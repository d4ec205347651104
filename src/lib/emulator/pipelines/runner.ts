// Starts scheduled runs. Does the work of all runs, and ends them.
import { systemClock, waitAtMost } from '../../kernel/clock.ts';
import type { PipelineLife } from './life.ts';
import type { Platform } from '../platform/area.ts';
import type { RunWork } from './run-work.ts';
import type { Run } from '../stores/pipelines.ts';
import type { WarehouseStores } from '../warehouse/resources.ts';

/** Maximum real time that a closing platform waits for a run. */
const GRACE_MS = 700;

export function openPipelineRunner(stores: WarehouseStores, life: PipelineLife, platform: Platform) {
  const { pipelines, runs } = stores;
  const { clock, db } = platform;
  let runWork: RunWork | undefined;
  let working: Promise<void> | undefined;
  let closing = false;

  async function work(run: Run): Promise<void> {
    // Load the code that reads warehouses only for the first run.
    const { createRunWork } = await import('./run-work.ts');
    runWork ??= createRunWork(stores, platform);
    const begun = clock.now();
    const done = await runWork.workOn(run);
    if (!done) return;
    // A manual clock does not advance during a run.
    const took = clock.mode === 'real' ? clock.now() - begun : 0;
    life.finish(done, (done.started_at ?? 0) + took);
  }

  /** Does the earliest work due by `now`. Returns false if there is none. */
  async function step(now: number): Promise<boolean> {
    const run = runs.firstDue();
    const scheduled = pipelines.firstDue();
    const runAt = run?.due_at ?? Infinity;
    const scheduledAt = scheduled?.next_run_at ?? Infinity;
    if (Math.min(runAt, scheduledAt) > now) return false;
    if (scheduled && scheduledAt < runAt) {
      const { workspace, id } = scheduled;
      // If an interval began during a run, the run for that interval starts right afterward.
      const at = Math.max(scheduledAt, runs.latest(workspace, id)?.ended_at ?? scheduledAt);
      const pipeline = pipelines.get(workspace, id);
      if (pipeline) db.transaction(() => life.begin(workspace, pipeline, 'scheduled', at));
    } else if (run?.progress.done === true) {
      db.transaction(() => life.end(run));
    } else if (run) {
      working = work(run);
      await working;
    }
    return true;
  }

  return {
    nextDue: (): number | undefined => {
      const due = Math.min(runs.firstDue()?.due_at ?? Infinity, pipelines.firstDue()?.next_run_at ?? Infinity);
      return due === Infinity ? undefined : due;
    },
    catchUp: async (now: number): Promise<void> => {
      while (!closing && (await step(now)));
    },
    /** Waits briefly for the current run. An unfinished run resumes after the next start. */
    close: async (): Promise<void> => {
      closing = true;
      await waitAtMost(working, GRACE_MS, systemClock);
      await runWork?.close();
    },
  };
}
