// A. Custom roles: list tasks, read and replace the manifest (specification, A; decisions: D12, D13).
import { ROLE_FAILURES } from '../../contract/failures.ts';
import { PERMISSIONS } from '../../contract/role-catalog.ts';
import { rolesEndpoints } from '../../contract/roles.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { checkManifest, describeViolations } from '../fixtures/manifest.ts';
import { RoleAssignmentFixture } from '../fixtures/schema.ts';
import { answer, refusal } from '../wire/platform-error.ts';
import { createRateWindow } from '../wire/rate.ts';
import { checkBody, parseBody } from '../wire/request-body.ts';
import { createRolesStore, rolesMigrations } from '../stores/roles.ts';

export const rolesArea = defineArea({
  name: 'roles',
  endpoints: rolesEndpoints,
  migrations: rolesMigrations,
  open: openRoles,
});

const TASKS = answer(
  200,
  PERMISSIONS.map(({ task_id, feature, permission, meaning }) => ({
    task_id,
    display_name: `${feature}: ${permission}`,
    description: meaning,
  })),
);

function openRoles(platform: Platform): OpenArea<typeof rolesEndpoints> {
  const { db, clock, directory, emailOf, fixtures } = platform;
  const store = createRolesStore(db);
  const rate = createRateWindow(fixtures.limits.roles_per_minute, { restore: countedBefore(platform) });

  /** Counts a call and returns its organization. Throws 429 with `Retry-After` above the limit. */
  function admit({ params, caller }: PlatformRequest<{ orgId: string; accountId: string }>): { id: number } {
    const organization = directory.organizationOf(params, caller.id);
    const wait = rate.take(organization.id, clock.now());
    if (wait !== undefined) {
      const { status, message } = ROLE_FAILURES.rateLimited;
      throw refusal(status, message, { 'retry-after': String(wait) });
    }
    return organization;
  }

  return {
    handlers: {
      listTasks: (request) => {
        admit(request);
        return TASKS;
      },
      get: (request) => ({ status: 200, text: store.read(admit(request).id) }),
      replace: (request) => {
        const { id } = admit(request);
        const { roles, violations } = checkManifest(
          parseBody(request.body, (detail) => refusal(400, `${ROLE_FAILURES.invalidJson.message}: ${detail}`)),
        );
        const [broken] = violations;
        if (broken) throw refusal(broken.failure.status, describeViolations(violations));
        const kept = new Set(roles.map(({ role_id }) => role_id));
        const held = new Set(store.assigned(id).filter((role) => !kept.has(role)));
        if (held.size > 0) throw refusal(400, `${ROLE_FAILURES.assigned.message}: ${[...held].join(', ')}`);
        return { status: 200, text: store.replace(id, roles, clock.now(), emailOf(request.caller.id)) };
      },
    },
    control: {
      // Admins assign roles in the product's user interface, which the embedded platform lacks (decision: D13).
      'POST /role-assignments': (body) => {
        const { role_id, user, org_id = fixtures.organizations[0].id } = checkBody(RoleAssignmentFixture, body);
        if (!store.has(org_id, role_id)) throw refusal(404, `Not found: organization ${org_id} has no role ${role_id}`);
        store.assign({ org_id, role_id, user });
        return answer(201, { role_id, user, org_id });
      },
    },
    load: (loaded) => {
      rate.clear();
      store.clear();
      for (const { id } of loaded.organizations) {
        const roles = loaded.roles.filter(({ org_id }) => org_id === id).map(({ role }) => role);
        // Like uploaded roles, roles from fixtures get `user:core`.
        store.replace(id, checkManifest({ roles }).roles, clock.now(), emailOf('fixtures'));
      }
      for (const assignment of loaded.role_assignments) store.assign(assignment);
    },
  };
}

/** Returns a function that reads, from the log, the times of an organization's counted requests in the last minute. */
function countedBefore({ clock, log }: Platform): (orgId: number) => number[] {
  const notCounted = new Set<number | null>([null, 401, 403, 404, 429]);
  return (orgId) => {
    const prefix = `/platform/v2/organizations/${orgId}/`;
    return log
      .since(clock.now() - 60_000)
      .filter(({ path, status }) => path.startsWith(prefix) && !notCounted.has(status))
      .map(({ at }) => at);
  };
}
