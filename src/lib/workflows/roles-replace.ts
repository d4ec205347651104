// The PUT of a manifest, confirmed only if the response or a GET shows exactly what was sent.
import type { RolesApi } from '../api/roles.ts';
import { showPath } from '../contract/explain.ts';
import { diffRoles } from '../domain/roles/diff.ts';
import { fromReply, type Manifest, sameRoles, sameState, specifiedPart } from '../domain/roles/manifest.ts';
import type { KnownError, Hint } from '../kernel/errors.ts';
import { confirmed } from './confirm-write.ts';
import type { Tell } from './ports.ts';
import type { Planned } from './roles-plan.ts';
import { fail } from '../errors/fail.ts';

interface ReplacePorts {
  api: RolesApi;
  tell: Tell;
  signal: AbortSignal;
}

const MAX_SENDS = 3;

/**
 * Sends the planned manifest and returns what the platform holds then, stamps included. A response that is lost, or
 * does not hold exactly what was sent, is checked by a GET: the wanted roles mean success. After a lost response the
 * previous manifest means that the PUT never arrived and may be sent again. Anything else is a conflict (6). Throws
 * network (8) when the platform cannot be read either.
 */
export async function replaceConfirmed(planned: Planned, revision: string, ports: ReplacePorts): Promise<Manifest> {
  const { api, signal, tell } = ports;
  const isWanted = ({ roles }: Manifest): boolean => sameRoles(roles, planned.request.roles);
  const manifest = await confirmed<Manifest, Manifest>(
    {
      subject: 'the roles PUT',
      hint: [{ text: 'To see what the platform holds:', command: 'cdpadm roles diff' }, previousVersion(revision)],
      maxSends: MAX_SENDS,
      notes: {
        lost: 'The response to the write does not confirm it. Reading what the platform holds now.',
        arrived: () => 'The write had arrived: the platform holds the wanted roles.',
      },
      send: async (attempt) => {
        const reply = fromReply(await api.replace(planned.request, { signal, reserved: attempt === 1 }));
        if (!isWanted(reply))
          tell.warn("The platform's response differs from what was sent. Reading the manifest again.");
        return reply;
      },
      isOurs: isWanted,
      read: async () => fromReply(await api.get({ signal })),
      isAbout: () => true,
      judge: (now, { error }) => {
        if (isWanted(now)) return { done: now };
        // Only a lost write may be sent again; one with a different response has arrived.
        return error && sameState(now, planned.live) ? 'not-done' : liveDiffers(planned, now, revision);
      },
    },
    ports,
  );
  if (manifest.last_modified_on !== null) return manifest;
  // The specification promises stamps only for a GET.
  const stamped = await readStamps(manifest, ports);
  if (!isWanted(stamped)) throw liveDiffers(planned, stamped, revision);
  return stamped;
}

/** For a platform that responds to a PUT without stamps. A failure to read them does not undo the write. */
async function readStamps(reply: Manifest, { api, signal, tell }: ReplacePorts): Promise<Manifest> {
  try {
    return fromReply(await api.get({ signal }));
  } catch (error) {
    tell.warn(`The roles are in place, but their stamps could not be read: ${(error as Error).message}`);
    return reply;
  }
}

/** The platform holds other roles than those sent; each difference is an issue. */
function liveDiffers({ request }: Planned, now: Manifest, revision: string): KnownError {
  const { created, modified, deleted } = diffRoles(request.roles.map(specifiedPart), now.roles.map(specifiedPart));
  const issues = [
    ...deleted.map(({ role_id }) => ({ path: showPath(['roles', role_id]), message: 'sent, but not on the platform' })),
    ...created.map(({ role_id }) => ({ path: showPath(['roles', role_id]), message: 'on the platform, but not sent' })),
    ...modified.map(({ role_id, changes }) => ({
      path: showPath(['roles', role_id]),
      message: `differs from what was sent in ${Object.keys(changes).join(', ')}`,
    })),
  ];
  return fail('roles.changed_meanwhile', {
    message:
      'Conflict: the platform does not hold the manifest that was sent. It is not known whether another admin wrote at the same moment, or the platform stored it differently.',
    hint: [
      { text: 'No file was changed. To compare it with the platform:', command: 'cdpadm roles diff' },
      previousVersion(revision),
    ],
    issues,
  });
}

function previousVersion(revision: string): Hint {
  return { text: 'To restore the previous version:', command: `cdpadm roles rollback ${revision}` };
}
