// Data subject requests of one workspace: the credentials, not the command line, decide where a request goes.
import type { DsrApi, SendOutcome } from '../api/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isSameId } from './dsr-proof.ts';
import { fail } from '../errors/fail.ts';

interface Controlled {
  subject_request_id: string;
  controller_id?: string | number | bigint | null | undefined;
}

/**
 * The same calls, each reply held to the workspace by its `controller_id` (specification, "C"); whoever opens `openCreate`
 * checks each reply. Throws conflict (6) for another workspace's request; nothing of the reply is believed.
 */
export function ofWorkspace(api: DsrApi, workspace: string): DsrApi {
  const check = <T extends Controlled>(reply: T): T => checkWorkspace(reply, workspace);
  const checked = <T extends Controlled>(outcome: SendOutcome<T>): SendOutcome<T> => {
    if (outcome.kind === 'accepted') check(outcome.body);
    return outcome;
  };
  return {
    ...api,
    create: async (body, signal) => {
      const reply = await api.create(body, signal);
      // Another request's body proves nothing, not even where this one went.
      if (isSameId(reply.body, body.subject_request_id)) check(reply.body);
      return reply;
    },
    openGet: async () => {
      const sender = await api.openGet();
      return { ...sender, send: async (...args) => checked(await sender.send(...args)) };
    },
    get: async (id, signal) => check(await api.get(id, signal)),
    getDated: async (id, signal) => {
      const reply = await api.getDated(id, signal);
      check(reply.body);
      return reply;
    },
    list: async (groupId, signal) => (await api.list(groupId, signal)).map(check),
    listDated: async (groupId, signal) => {
      const reply = await api.listDated(groupId, signal);
      reply.body.forEach(check);
      return reply;
    },
    cancel: async (id, signal) => check(await api.cancel(id, signal)),
  };
}

/** Throws conflict (6) when the request is another workspace's. */
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
