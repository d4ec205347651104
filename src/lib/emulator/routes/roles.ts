// A. Custom roles: list tasks, read and replace the manifest (specification, A; decisions: D12, D13).
import { ROLE_FAILURES } from '../../contract/failures.ts';
import { PERMISSIONS } from '../../contract/role-catalog.ts';
import { rolesEndpoints } from '../../contract/roles.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { checkManifest, describeViolations } from '../fixtures/manifest.ts';
import { RoleAssignmentFixture } from '../fixtures/schema.ts';
import { answer, rejection, reject } from '../wire/platform-error.ts';
import { createRateLimit } from '../wire/rate.ts';
import { checkBody, readJson } from '../wire/request-body.ts';
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

function openRoles({ db, clock, directory, emailOf, fixtures }: Platform): OpenArea<typeof rolesEndpoints> {
  const store = createRolesStore(db);
  const rate = createRateLimit(fixtures.limits.roles_per_minute, clock, (seconds) =>
    reject(ROLE_FAILURES.rateLimited, [], { 'retry-after': seconds }),
  );

  /** Counts a call and returns its organization. Throws 429 with `Retry-After` above the limit. */
  function admit({ params, caller }: PlatformRequest<{ orgId: string; accountId: string }>): number {
    const id = directory.organizationInPath(params, caller.id);
    rate.admit(id);
    return id;
  }

  return {
    handlers: {
      listTasks: (request) => {
        admit(request);
        return TASKS;
      },
      get: (request) => ({ status: 200, text: store.read(admit(request)) }),
      replace: (request) => {
        const id = admit(request);
        const { roles, failure, violations } = checkManifest(readJson(request.body, ROLE_FAILURES.invalidJson));
        if (failure) throw reject(failure, describeViolations(violations));
        const kept = new Set(roles.map(({ role_id }) => role_id));
        const held = new Set(store.assigned(id).filter((role) => !kept.has(role)));
        if (held.size > 0) throw reject(ROLE_FAILURES.assigned, [...held].join(', '));
        return { status: 200, text: store.replace(id, roles, clock.now(), emailOf(request.caller.id)) };
      },
    },
    control: {
      // Admins assign roles in the product's user interface, which the embedded platform lacks (decision: D13).
      'POST /role-assignments': (body) => {
        const { role_id, user, org_id = fixtures.organizations[0].id } = checkBody(RoleAssignmentFixture, body);
        if (!store.has(org_id, role_id))
          throw rejection(404, `Not found: organization ${org_id} has no role ${role_id}`);
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
