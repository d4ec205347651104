// B. Group identities: definitions and their weekly refresh (specification, B; decisions: D60, D61).
import { GROUP_FAILURES } from '../../contract/failures.ts';
import { GroupPatch, GroupRequest, groupsEndpoints, GroupUpdate } from '../../contract/groups.ts';
import { GROUP_LIMITS } from '../../contract/limits.ts';
import { acceptJson } from '../wire/request-body.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { SLICE_MS, systemClock } from '../../kernel/clock.ts';
import { created, modified } from '../stores/documents.ts';
import { aggregate } from '../profiles/group-aggregation.ts';
import { answer, reject } from '../wire/platform-error.ts';
import { createGroupsStore, type Group, groupsMigrations } from '../stores/groups.ts';

export const groupsArea = defineArea({
  name: 'groups',
  endpoints: groupsEndpoints,
  migrations: groupsMigrations,
  open: openGroups,
});

const { invalidJson, notFound, unprocessable } = GROUP_FAILURES;
const WEEK_MS = 7 * 86_400_000;

type GroupCall = PlatformRequest<{ workspace_id: string; group_id: string }>;

function openGroups({ db, clock, directory, emailOf, profiles }: Platform): OpenArea<typeof groupsEndpoints> {
  const store = createGroupsStore(db);

  const workspaceOf = ({ params, caller }: PlatformRequest<{ workspace_id: string }>): number =>
    directory.workspaceInPath(params.workspace_id, caller.id).id;

  function find(request: GroupCall): { workspace: number; group: Group } {
    const workspace = workspaceOf(request);
    const { group_id } = request.params;
    const group = store.get(workspace, group_id);
    if (!group) throw reject(notFound, `group ${group_id}`);
    return { workspace, group };
  }

  function change(request: GroupCall, before: Group, fields: Partial<Group>): Group {
    return { ...before, ...fields, ...modified(before, clock.now(), emailOf(request.caller.id)) };
  }

  let refreshing: { key: string; definition: string; revision: number; steps: Iterator<undefined, void> } | undefined;
  /** Each group's definition and profile revision at its last refresh. Without a change, a refresh has no effect. */
  const refreshed = new Map<string, string>();

  /** Works on a group's refresh for a limited time. Returns true once the refresh is complete. */
  function refresh(workspace: number, group: Group): boolean {
    const key = `${workspace} ${group.id}`;
    const definition = JSON.stringify(group);
    if (refreshed.get(key) === `${profiles.revision()} ${definition}`) return true;
    if (refreshing?.definition !== definition || refreshing.key !== key) {
      const { id, source_user_attribute: attribute, attributes } = group;
      const most = GROUP_LIMITS.usersPerGroup;
      const steps = profiles.shareGroup({ workspace, id, attribute, most }, (members) =>
        aggregate(attributes, members),
      );
      refreshing = { key, definition, revision: profiles.revision(), steps };
    }
    const current = refreshing;
    // After a failed step, the refresh starts over.
    refreshing = undefined;
    const until = systemClock.now() + SLICE_MS;
    const isDone = db.transaction(() => {
      while (systemClock.now() < until) if (current.steps.next().done === true) return true;
      return false;
    });
    if (isDone) refreshed.set(key, `${current.revision} ${definition}`);
    else refreshing = current;
    return isDone;
  }

  return {
    handlers: {
      list: (request) => answer(200, store.list(workspaceOf(request))),
      get: (request) => answer(200, find(request).group),
      create: (request) => {
        const workspace = workspaceOf(request);
        const body = acceptJson(GroupRequest, request.body, unprocessable, invalidJson);
        const { id, description = '', source_user_attribute, attributes } = body;
        if (store.get(workspace, id)) throw reject(unprocessable, `id \`${id}\` is taken`);
        const most = GROUP_LIMITS.definitionsPerWorkspace;
        if (store.list(workspace).length >= most) {
          throw reject(unprocessable, `a workspace has at most ${most} group definition`);
        }
        const now = clock.now();
        const by = emailOf(request.caller.id);
        const audit = modified(created(now, by), now, by);
        const group = { id, description, source_user_attribute, attributes, ...audit };
        store.add(workspace, group, { refresh_at: now + WEEK_MS });
        return answer(200, group);
      },
      update: (request) => {
        const { workspace, group: before } = find(request);
        const body = acceptJson(GroupUpdate, request.body, unprocessable, invalidJson);
        const { id, description = '', source_user_attribute, attributes } = body;
        if (id !== undefined && id !== before.id) {
          throw reject(unprocessable, `id is \`${id}\` but the path has \`${before.id}\``);
        }
        const group = change(request, before, { description, source_user_attribute, attributes });
        store.replace(workspace, group);
        return answer(200, group);
      },
      patch: (request) => {
        const { workspace, group: before } = find(request);
        const group = change(request, before, acceptJson(GroupPatch, request.body, unprocessable, invalidJson));
        store.replace(workspace, group);
        return answer(200, group);
      },
      delete: (request) => {
        const { workspace, group } = find(request);
        db.transaction(() => {
          store.remove(workspace, group.id);
          profiles.clearGroup(workspace, group.id);
        });
        refreshed.delete(`${workspace} ${group.id}`);
        return { status: 204 };
      },
    },
    load: (fixtures) => {
      store.clear();
      refreshing = undefined;
      refreshed.clear();
      const [now, by] = [clock.now(), emailOf('fixtures')];
      const audit = modified(created(now, by), now, by);
      for (const { workspace_id, ...definition } of fixtures.groups) {
        store.add(workspace_id, { ...definition, ...audit }, { refresh_at: now + WEEK_MS });
      }
    },
    nextDue: () => store.nextRefresh()?.refresh_at,
    catchUp: (now) => {
      for (let due = store.nextRefresh(); due && due.refresh_at <= now; due = store.nextRefresh()) {
        const { workspace, id, refresh_at } = due;
        const group = store.get(workspace, id);
        if (group && !refresh(workspace, group)) return;
        store.setRefresh(workspace, id, refresh_at + WEEK_MS);
      }
    },
  };
}
