// `roles history` and `rollback`: the manifests that this machine saved before its writes.
import { pickRevision } from '../pick.ts';
import * as z from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { fromReply, type Manifest } from '../../lib/domain/roles/manifest.ts';
import { diffRoles, type RolesDiff } from '../../lib/domain/roles/plan.ts';
import { lateProgress } from '../read-pages.ts';
import { beforeFlag, readBefore } from '../flag-values.ts';
import { counted, sizeText } from '../../lib/kernel/words.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { findByBeginning, nearestHint } from '../../lib/kernel/nearest.ts';
import { applyIntent, emitOutcome, guardFlags, outcomeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';
import { each } from '../results.ts';
import { fields, ranked } from '../../lib/render/view.ts';

const pruneRevisions = defineCommand({
  path: 'roles history prune',
  summary: 'remove saved manifests that are older than a date',
  effect: 'local',
  calls: 'settings',
  flags: beforeFlag,
  output: () => z.object({ revisions: z.int(), bytes: z.int(), before: z.string() }),
  notes: ['The newest saved manifest is always kept. Pruning cannot be undone.'],
  examples: [
    'cdpadm roles history prune --before 2024-01-01 --dry-run',
    'cdpadm roles history prune --before 2024-01-01 --yes',
  ],
  exits: { guard: 'you answered no' },
  run: async (ctx, { flags }) => {
    const before = readBefore(flags.before);
    const { store } = await openRolesMemory(ctx);
    // A revision's name starts with its time: 20261121T080000123Z.
    const limit = before.replace(/[-:.]/g, '');
    const [, ...others] = store.revisions();
    const old = others.filter(({ revision }) => revision < limit);
    const found = { revisions: old.length, bytes: sizeOf(old), before };
    const what = `${counted(old.length, 'saved manifest')} (${sizeText(found.bytes)})`;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], found, `${what} would be removed.`);
    if (old.length > 0) await ctx.prompt.confirm(`Remove ${what}? This cannot be undone.`);
    const progress = lateProgress(ctx, 'Removing saved manifests');
    let done = 0;
    const removed = (): void => progress.update(++done, old.length);
    // Oldest first, so that an interrupted run leaves no gaps.
    const names = old.map(({ revision }) => revision).reverse();
    await store.removeRevisions(names, ctx.signal, removed).finally(progress.end);
    return found;
  },
  view: { kind: 'record', columns: fields('revisions', 'bytes', 'before') },
});

function sizeOf(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export const listRevisions = defineCommand({
  path: 'roles history',
  summary: 'list the manifests that this machine saved before each write',
  effect: 'read',
  calls: 'settings',
  flags: { limit: { value: 'n', most: 1_000_000, default: '100', help: 'show only the newest N manifests' } },
  output: () =>
    z.array(
      z.object({
        ...each(z.string(), 'revision', 'saved_at', 'reason'),
        profile: z.nullable(z.string()),
        plan: z.string(),
        roles: z.number(),
        ...each(z.nullable(z.string()), 'last_modified_on', 'last_modified_by'),
        bytes: z.number(),
      }),
    ),
  examples: ['cdpadm roles history', 'cdpadm roles history -o json --query "[0].revision"'],
  below: [pruneRevisions],
  run: async (ctx, { flags: { limit } }) => {
    const { store } = await openRolesMemory(ctx);
    const all = store.revisions();
    const damaged: string[] = [];
    const shown = all.slice(0, limit).flatMap(({ revision, bytes }) => {
      const head = store.head(revision);
      if (!head) damaged.push(revision);
      return head ? [{ ...head, bytes }] : [];
    });
    if (damaged.length > 0) ctx.out.warn(`Not listed, because their files are damaged: ${damaged.join(', ')}.`);
    const kept = `${counted(all.length, 'saved manifest')} (${sizeText(sizeOf(all))})`;
    if (all.length > 0)
      ctx.out.note({
        text: `${all.length > limit ? `Showing the newest ${limit} of ` : ''}${kept}. To remove old ones:`,
        command: 'cdpadm roles history prune --before DATE',
      });
    return shown;
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'revision', id: true, value: (item) => item.revision },
      {
        key: 'saved_at',
        rank: 1,
        value: (item) => item.saved_at,
        // Use the platform's time format, as in `last_modified_on`.
        said: (item) => item.saved_at.slice(0, 19).replace('T', ' '),
      },
      { key: 'reason', title: 'BEFORE', value: (item) => item.reason },
      { key: 'roles', align: 'right', value: (item) => item.roles },
      ...ranked({ last_modified_on: 2, last_modified_by: 3 }),
      { key: 'bytes', rank: 4, align: 'right', value: (item) => item.bytes },
    ],
    empty: 'No saved manifests to list. Each write to this organization saves one.',
  },
});

function idsOf({ created, deleted, modified }: RolesDiff): string[] {
  return [...created, ...modified, ...deleted].map((role) => role.role_id);
}

export const rollBackRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles rollback',
  summary: 'restore a saved manifest',
  args: {
    revision: { optional: true, help: 'a revision from `roles history`, or its first characters', pick: pickRevision },
  },
  tool: ['last'],
  flags: { ...guardFlags, last: { help: 'the newest revision' } },
  notes: ['The current manifest is saved first, so you can undo a rollback.'],
  examples: [
    'cdpadm roles rollback 20261121T080000123Z-1f3a9c --dry-run',
    'cdpadm roles rollback 20261121T08 --allow-delete',
  ],
  exits: {
    notFound: 'revision not found',
    conflict: 'a role to be deleted is assigned to a user, or the plan is not the expected one',
    guard: 'a guard stopped the rollback, or you answered no',
  },
  run: async (ctx, { args, flags }) => {
    if ((args.revision === undefined) === (flags.last !== true)) {
      throw usageError('Pass a revision, or --last.', { text: 'To list revisions:', command: 'cdpadm roles history' });
    }
    const memory = await openRolesMemory(ctx);
    const known = memory.store.revisions().map(({ revision }) => revision);
    const all = known.length > 100 ? ` --limit ${known.length}` : '';
    const list = { text: 'To list revisions:', command: `cdpadm roles history${all}` };
    const { revision: text = known[0] } = args;
    if (text === undefined)
      throw fail('roles.revision_not_found', { message: 'This machine has not written to this organization yet.' });
    const revision = findByBeginning(text, known, 'revision', list);
    const saved = revision && memory.store.findRevision(revision);
    if (!saved) {
      const message =
        revision === undefined ? `Unknown revision ${text}.` : `The file of revision ${revision} is damaged.`;
      throw fail('roles.revision_not_found', { message, hint: revision ? list : nearestHint(text, known, list) });
    }
    const { roles } = fromReply(saved.manifest);
    const after = memory.store.manifestAfter(saved.revision);
    const want = (live: Manifest) => {
      const changed = idsOf(diffRoles(live.roles, roles));
      const since = after ? idsOf(diffRoles(after.roles, live.roles)) : [];
      const also = since.filter((id) => changed.includes(id));
      const warnings = also.length > 0 ? [`This also undoes later changes: ${also.join(', ')}.`] : [];
      return { roles, conflicts: [], rebased: [], stale: false, warnings };
    };
    await emitOutcome(ctx, await applyIntent(ctx, memory, { reason: 'rollback', want }, flags));
  },
});
