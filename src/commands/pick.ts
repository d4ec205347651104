// Choices on a terminal when an id is missing.
import { GROUPS, NOUNS, type ResourceType } from '../lib/domain/warehouse/definition.ts';
import { ifFound } from '../lib/kernel/errors.ts';
import { capitalized } from '../lib/kernel/words.ts';
import type { ArgSpec } from '../lib/runtime/command-line/define-command.ts';
import type { Choice, Context } from '../lib/runtime/context.ts';
import { openRolesMemory } from '../lib/runtime/memory/roles.ts';
import { warehouseCalls } from '../lib/workflows/warehouse-apply.ts';

export type Picker = NonNullable<ArgSpec['pick']>;

/** Maximum number of choices for kinds that can grow indefinitely. */
export const NEWEST = 100;

export function choice(value: string, hint: unknown): Choice {
  return typeof hint === 'string' && hint !== '' ? { value, hint } : { value };
}

/** Returns a picker for the items that `cdpadm GROUP list` shows. */
function pickListed(
  question: string,
  group: string,
  list: (ctx: Context) => Promise<readonly { id: string; name?: unknown }[]>,
): Picker {
  return {
    question,
    list: `cdpadm ${group} list`,
    create: `cdpadm ${group} create --help`,
    choices: async (ctx) => (await list(ctx)).map(({ id, name }) => choice(id, name)),
  };
}

export const pickRole = pickListed('Role', 'roles', async (ctx) => {
  const { roles } = await (await ctx.api()).roles.get({ signal: ctx.signal });
  return roles.map(({ name, role_id: id }) => ({ id, name }));
});

export const pickTask: Picker = {
  question: 'Task',
  list: 'cdpadm roles tasks',
  choices: async (ctx) =>
    (await (await ctx.api()).roles.listTasks(ctx.signal)).map((it) => choice(it.task_id, it.display_name)),
};

function withFirst(first: Choice, picker: Picker): Picker {
  return { ...picker, choices: async (...given) => [first, ...((await picker.choices(...given)) ?? [])] };
}

/** The first choice is the whole manifest, which is not a role. */
export const pickManifest = withFirst({ value: '', label: 'the whole manifest' }, pickRole);

export const pickRevision: Picker = {
  question: 'Revision',
  list: 'cdpadm roles history',
  newest: NEWEST,
  choices: async (ctx, _args, { last }) => {
    if (last === true) return undefined;
    const { store } = await openRolesMemory(ctx);
    const heads = store
      .revisions()
      .slice(0, NEWEST)
      .flatMap(({ revision }) => store.head(revision) ?? []);
    return heads.map(({ reason, revision, roles, saved_at: at }) =>
      choice(revision, `${at}, before ${reason}, ${roles} roles`),
    );
  },
};

export const pickGroup = pickListed('Group', 'groups', async (ctx) => (await ctx.api()).groups.list(ctx.signal));

export function pickResource(type: ResourceType): Picker {
  return pickListed(capitalized(NOUNS[type]), GROUPS[type], async (ctx) =>
    warehouseCalls(await ctx.api(), type).list(ctx.signal),
  );
}

export const pickRun: Picker = {
  question: 'Run',
  list: 'cdpadm pipelines runs PIPELINE_ID',
  newest: NEWEST,
  choices: async (ctx, args) => {
    const { pipelines } = await ctx.api();
    const query = { currentPage: 1, pageSize: NEWEST };
    const { items } = await pipelines.runs(String(args['pipeline_id']), query, ctx.signal);
    return items.map(({ id, started_on: at, status }) => choice(String(id), [at, status].filter(Boolean).join(', ')));
  },
};

/** Offers the latest run first, as the default. Returns undefined if there are none; the command then explains why. */
export const pickLatestRun: Picker = {
  ...pickRun,
  choices: async (...given) => {
    const runs = (await ifFound(pickRun.choices(...given))) ?? [];
    return runs.length > 0 ? [{ value: '', label: 'the latest run' }, ...runs] : undefined;
  },
};

export const pickProfile: Picker = {
  question: 'Profile',
  list: 'cdpadm profile list',
  create: 'cdpadm profile create NAME',
  choices: async (ctx) => [...(await (await ctx.profiles()).read()).profiles.keys()].map((value) => ({ value })),
};

export const pickProfileOrLocal = withFirst({ value: 'local', hint: 'the embedded platform' }, pickProfile);
