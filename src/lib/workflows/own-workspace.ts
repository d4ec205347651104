// Checks that the platform answers for the wanted workspace: the credentials decide where a request goes.
import type { DsrApi } from '../api/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isSameId } from './dsr-proof.ts';
import { fail } from '../errors/fail.ts';

interface Controlled {
  subject_request_id: string;
  controller_id?: string | number | bigint | null | undefined;
}

/**
 * The same calls; each reply must have the workspace as its `controller_id` (specification, "C"). A user of `openCreate`
 * checks each reply itself. Throws conflict (6) for a request of another workspace, and uses nothing of the reply.
 */
export function ofWorkspace(api: DsrApi, workspace: string): DsrApi {
  const check = <T extends Controlled>(reply: T): T => checkWorkspace(reply, workspace);
  return {
    ...api,
    create: async (body, signal) => {
      const reply = await api.create(body, signal);
      // The body of another request proves nothing, not even the workspace of this one.
      if (isSameId(reply.body, body.subject_request_id)) check(reply.body);
      return reply;
    },
    openGet: async () => {
      const sender = await api.openGet();
      return {
        ...sender,
        send: async (...args) => {
          const outcome = await sender.send(...args);
          if (outcome.kind === 'accepted') check(outcome.body);
          return outcome;
        },
      };
    },
    get: async (id, signal) => {
      const reply = await api.get(id, signal);
      check(reply.body);
      return reply;
    },
    list: async (groupId, signal) => {
      const reply = await api.list(groupId, signal);
      reply.body.forEach(check);
      return reply;
    },
    cancel: async (id, signal) => check(await api.cancel(id, signal)),
  };
}

/** Throws conflict (6) if another workspace has the request. */
export function checkWorkspace<T extends Controlled>(reply: T, workspace: string): T {
  const { controller_id: controller, subject_request_id: id } = reply;
  if (controller !== null && controller !== undefined && String(controller) !== workspace)
    throw otherWorkspace(id, String(controller), workspace);
  return reply;
}

function otherWorkspace(id: string, actual: string, wanted: string): KnownError {
  return fail('dsr.other_workspace', {
    message: `Conflict: the credentials belong to workspace ${actual}, but the target is workspace ${wanted}. The platform has request ${id} in workspace ${actual}.`,
    hint: [
      `Use the key and secret of workspace ${wanted}, or --workspace ${actual}.`,
      {
        text: `A request that was just submitted is in workspace ${actual} now. To cancel it:`,
        command: `cdpadm dsr cancel ${id} --workspace ${actual}`,
      },
    ],
  });
}
