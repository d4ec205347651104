// Judges task ids. The same id stands in many roles, so that each is looked at once.
import { CORE_TASK } from '../../contract/roles.ts';
import { nearest } from '../../kernel/nearest.ts';
import { type Known, remembered } from './known.ts';

/** What is wrong with a task id; `stops` is false where it is advice only. */
export interface TaskFault {
  message: string;
  stops: boolean;
}

export type TaskCheck = (id: string) => TaskFault | undefined;

/** Judges by the live tasks, or where they were not read by the specification's list. */
export function createTaskCheck(known: Known): TaskCheck {
  const { liveTasks, catalogTasks, tolerateUnknown } = known;
  const offered = liveTasks ?? catalogTasks;
  // The platform lets a role keep what it has, even where it no longer offers it. A memory of that is not enough.
  const holders = liveTasks ? [known.live] : remembered(known);
  const roles = holders.flatMap((manifest) => manifest?.roles ?? []);
  const held = new Set(roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id)));
  const judged = new Map<string, TaskFault | undefined>();

  function judge(id: string): TaskFault | undefined {
    if (tolerateUnknown || id === CORE_TASK || held.has(id) || offered.has(id)) return undefined;
    const proposal = nearest(id, offered);
    const hint = proposal === undefined ? '' : `; did you mean ${proposal}?`;
    return liveTasks
      ? { message: `task ${id} does not exist on the platform${hint}`, stops: true }
      : { message: `task ${id} is not in the specification's list${hint}`, stops: false };
  }

  return (id) => {
    if (!judged.has(id)) judged.set(id, judge(id));
    return judged.get(id);
  };
}
