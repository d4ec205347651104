// `seed set`: sets a user's seeds.
import { pathAsWritten } from '../../lib/contract/names.ts';
import { SEED_NAMES } from '../../lib/contract/seeding.ts';
import { checkSeed, createRowRules } from '../../lib/domain/seed/read-row.ts';
import { invalidDocument, loadDocument, withoutSchemaHint } from '../../lib/files/load.ts';
import { workspaceOf } from '../../lib/runtime/target.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { oneUserRecord, warnOfIdentities } from '../one-user.ts';

export const setSeeds = defineCommand({
  ...oneUserRecord,
  path: 'seed set',
  summary: 'send the seeds of one user',
  examples: ['cdpadm seed set -f user.json --yes', 'cdpadm seed set -f user.json --dry-run -o json'],
  run: async (ctx, { flags }) => {
    const document = await loadDocument(flags.file, ctx);
    const rules = createRowRules((await ctx.settings()).names, { ...flags, workspace: ctx.flags.workspace });
    const { names } = rules;
    const checked = checkSeed(names.decode(withoutSchemaHint(document.value), SEED_NAMES), rules);
    if ('issues' in checked) {
      const written = checked.issues.map((it) => ({ ...it, path: pathAsWritten(document.value, it.path, names) }));
      throw invalidDocument(document, 'body for one user', written);
    }
    warnOfIdentities(ctx, document, checked.seed.identities, 'identities', names);
    // The body's attributes are keyed by workspace id. Without attributes, the workspace comes from the settings.
    const inBody = Object.keys({ ...checked.seed.calculated_attributes, ...checked.seed.user_attributes }).join(', ');
    const { seeding } = await ctx.api();
    const target = await ctx.startWrite('seeding', inBody === '' ? {} : { workspace_id: inBody });
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([seeding.set.describe(checked.seed)]);
    await ctx.confirmWrite(`Seed 1 user into ${workspaceOf(target, [checked.seed.environment])}?`);
    await seeding.set.send(checked.seed, ctx.signal);
    return { accepted: true as const, target };
  },
});
