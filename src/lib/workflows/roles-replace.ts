// The PUT of a manifest with every outcome settled: sent, refused, or found out by reading when its answer was lost.
import type { RolesApi } from '../api/roles.ts';
import { fromReply, type Manifest, sameRoles, sameState } from '../domain/roles/manifest.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { settle } from './lost-answer.ts';
import type { Tell } from './ports.ts';
import type { Planned } from './roles-plan.ts';

interface ReplacePorts {
  api: RolesApi;
  tell: Tell;
  signal: AbortSignal;
}

/** A PUT whose answer is lost time and again is not tried for ever. */
const MOST_SENDS = 3;

/**
 * Sends the planned manifest and returns what the platform holds then, stamps included. A lost answer is settled by
 * GET: the wanted content means success, the old state means that the PUT never arrived and may go again, anything
 * else is a conflict (6). Throws network (8) when even that cannot be read.
 */
export async function replaceSettled(planned: Planned, revision: string, ports: ReplacePorts): Promise<Manifest> {
  const { api, signal } = ports;
  return await settle<Manifest, Manifest>(
    {
      mostSends: MOST_SENDS,
      send: async (count) => {
        const reply = fromReply(await api.replace(planned.request, { signal, reserved: count === 1 }));
        return reply.last_modified_on === null ? await readStamps(reply, ports) : reply;
      },
      read: async () => fromReply(await api.get({ signal })),
      judge: (now) => {
        if (sameRoles(now.roles, planned.request.roles)) return { done: now };
        return sameState(now, planned.live) ? 'not done' : neither(revision);
      },
      told: {
        lost: 'The answer to the write was lost; reading what the platform holds now.',
        arrived: () => 'The write had arrived: the platform holds the wanted roles.',
      },
      unknown: (reason) => ({
        message: `It is not known whether the manifest was replaced: the answer to the write was lost, and ${reason}.`,
        hint: `Run \`cdpadm roles diff\` to see what the platform holds. What was there before is revision ${revision} of \`cdpadm roles history\`.`,
      }),
    },
    ports,
  );
}

/** For a platform that answers a PUT without stamps. That they cannot be read does not undo what was done. */
async function readStamps(reply: Manifest, ports: ReplacePorts): Promise<Manifest> {
  try {
    return fromReply(await ports.api.get({ signal: ports.signal }));
  } catch (error) {
    ports.tell.warn(`The roles are in place, but could not be read back: ${(error as Error).message}`);
    return reply;
  }
}

function neither(revision: string): CliError {
  return new CliError({
    code: 'roles.changed_meanwhile',
    message:
      'The answer to the write was lost, and the platform now holds neither the old manifest nor the wanted one: somebody else wrote at the same moment.',
    hint: `Look at \`cdpadm roles diff\`. What was there before is revision ${revision} of \`cdpadm roles history\`.`,
    exit: EXIT.conflict,
  });
}
