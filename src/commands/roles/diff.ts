// `roles diff`: what a push of the file would create, modify and delete.
import { Command } from 'commander';
import { isEmptyDiff } from '../../lib/domain/roles/diff.ts';
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import { wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { EXIT } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { DOCUMENT_FORMATS, withHelp } from '../../lib/runtime/help.ts';
import { openRolesMemory } from '../../lib/runtime/roles-memory.ts';
import { planWanted } from '../../lib/workflows/roles-plan.ts';
import { tellRebased } from './apply.ts';
import { DEFAULT_FILE, openRolesFile, planView, tellAdvice } from './session.ts';

interface DiffFlags {
  base?: string;
  exitCode?: boolean;
}

export function diffCommand(ctx: Context): Command {
  const command = new Command('diff')
    .description('show what a push would create, modify and delete')
    .argument('[file]', 'the roles file; - is standard input', DEFAULT_FILE)
    .option('--base <file>', 'the manifest that the file was made from')
    .option('--exit-code', 'exit 10 when there are differences')
    .action((file: string, flags: DiffFlags) => diffRoles(ctx, file, flags));
  return withHelp(command, {
    formats: DOCUMENT_FORMATS,
    notes: ['The last line is the plan: `roles push --expect-plan` applies exactly this one.'],
    examples: ['cdpadm roles diff', 'cdpadm roles diff roles.yaml --exit-code -o markdown'],
    json: [
      '{"plan","base":{"last_modified_on","last_modified_by"},"created":[Role],',
      '"modified":[{"role_id","changes":{"name":{"from","to"},"description":{"from","to"},',
      '"tasks":{"added":[],"removed":[]}},"escalations":[]}],"deleted":[Role],"unchanged":[role_id],',
      '"summary":{"create","modify","delete","unchanged"}}',
    ].join('\n'),
    errors: [
      '6   you and the platform changed the same thing',
      '9   the file is invalid',
      '10  differences, with --exit-code',
    ],
  });
}

async function diffRoles(ctx: Context, file: string, flags: DiffFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const roles = await openRolesFile(ctx, file, memory, flags.base);
  const api = await ctx.api();
  const live = fromReply(await api.roles.get({ signal: ctx.signal }));
  // Which tasks exist is asked at the push; here the live manifest's own are enough.
  const checked = roles.check({ live });
  tellAdvice(ctx, roles.document, checked.warnings);
  const wanted = wantedRoles(checked.manifest, roles.base, live);
  const { plan } = planWanted(memory.scope, live, wanted);
  if (wanted.stale) {
    ctx.out.warn(
      'The file carries an older stamp than the platform and its base is not known here: this is the difference to the platform as it is now, which may undo what others changed.',
    );
  }
  tellRebased(ctx, wanted.rebased);
  await ctx.out.emit(plan, planView);
  if (flags.exitCode === true && !isEmptyDiff(plan)) ctx.setExit(EXIT.differences);
}
