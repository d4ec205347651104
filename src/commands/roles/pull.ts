// `roles pull`: the live manifest as a file to edit.
import { dirname, join } from 'node:path';
import { boolean, type infer as Infer, nullable, number, object, string, union } from 'zod/mini';
import { ManifestReply } from '../../lib/contract/roles.ts';
import { fromReply, inStableOrder, type Manifest, sameContent, toReply } from '../../lib/domain/roles/manifest.ts';
import { carryUnknownFields } from '../../lib/domain/roles/carry.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { chooseBase } from '../../lib/domain/roles/wanted.ts';
import { formatOf, parseDocumentText } from '../../lib/files/load.ts';
import { readInput, resolvePath } from '../../lib/files/read-input.ts';
import { rewriteManifestText, SCHEMA_HINT, updateManifestText, writeManifestText } from '../../lib/files/roles-file.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import { KnownError, systemErrorCode } from '../../lib/kernel/errors.ts';
import { makeFolder } from '../../lib/kernel/temporary-file.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { catalogTasks, DEFAULT_FILE } from './session.ts';
import { fail } from '../../lib/errors/fail.ts';

export const pullRoles = defineCommand({
  path: 'roles pull',
  summary: 'write the live manifest to a file, to be edited, diffed and pushed',
  effect: 'local',
  calls: 'platform',
  args: { file: { default: DEFAULT_FILE, help: 'YAML, or JSON by its extension; - is standard output' } },
  flags: { overwrite: { help: 'replace a file that holds local edits' } },
  output: () => union([pulledResult(), ManifestReply]),
  columns: (_flags, [file]) =>
    file === '-' ? undefined : asColumns('file roles changed last_modified_on last_modified_by'),
  notes: ['A file without local edits is brought up to date in place: its comments and its order stay.'],
  examples: ['cdpadm roles pull', 'cdpadm roles pull team.json --overwrite', 'cdpadm roles pull -'],
  exits: {
    conflict: 'the file holds local edits (see --overwrite)',
    invalidInput: 'what the file holds is no YAML or JSON',
  },
  run: (ctx, { args, flags }) => pullFile(ctx, args.file, flags.overwrite === true),
});

/** What became of the file. */
function pulledResult() {
  return object({
    file: string(),
    roles: number(),
    changed: boolean(),
    last_modified_on: nullable(string()),
    last_modified_by: nullable(string()),
  });
}

type Pulled = Infer<ReturnType<typeof pulledResult>>;

const pulledView: DocumentView<Pulled> = {
  kind: 'document',
  text: ({ file, roles, changed }) => `${changed ? 'Wrote' : 'Up to date'}: ${file} (${roles} roles)`,
};

const manifestView: DocumentView<ManifestReply> = {
  kind: 'document',
  text: (manifest) => jsonText(manifest, 2),
};

async function pullFile(ctx: Context, file: string, overwrite: boolean): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const api = await ctx.api();
  const live = fromReply(await api.roles.get({ signal: ctx.signal }));
  const format = formatOf(file);
  const headline = `Roles of organization ${memory.scope.organization} at ${memory.scope.address}`;
  const fresh = (): Promise<string> =>
    writeManifestText(toReply({ ...live, roles: inStableOrder(live.roles) }), format, headline);
  if (file === '-') {
    if (ctx.flags.output === 'table') await ctx.out.emitText(await fresh());
    else await ctx.out.emit(toReply({ ...live, roles: inStableOrder(live.roles) }), manifestView);
    return;
  }
  const path = resolvePath(file, ctx.io.cwd);
  const existing = overwrite ? undefined : await readIfThere(ctx, file);
  if (existing !== undefined) await refuseLocalEdits(file, existing, live, memory);
  const text =
    existing === undefined
      ? await fresh()
      : ((await updateManifestText(existing, format, toReply(live))) ??
        (await rewriteManifestText(existing, toReply(live))));
  const { last_modified_on, last_modified_by } = live;
  const changed = text !== existing;
  const pulled: Pulled = { file, roles: live.roles.length, changed, last_modified_on, last_modified_by };
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], pulled, () => text, [file]);
    return;
  }
  await memory.store.saveBase(toReply(live));
  if (changed) writeUserFile(path, text);
  if (text.includes(SCHEMA_HINT)) await writeSchema(ctx, path);
  if (ctx.flags.output !== 'table') await ctx.out.emit(pulled, pulledView);
  ctx.out.note(pulledView.text(pulled, ctx.out.style, 0));
  ctx.out.note({ text: 'Edit it, then:', command: `cdpadm roles diff${file === DEFAULT_FILE ? '' : ` ${file}`}` });
}

/** The schema that the file's hint names, beside the file, so that an editor finds it on every machine. */
async function writeSchema(ctx: Context, rolesFile: string): Promise<void> {
  const { rolesFileSchema } = await import('../../lib/files/roles-schema.ts');
  const path = join(dirname(rolesFile), SCHEMA_HINT);
  const text = `${JSON.stringify(rolesFileSchema, null, 2)}\n`;
  if ((await readIfThere(ctx, path)) === text) return;
  makeFolder(dirname(path));
  writeUserFile(path, text);
}

async function readIfThere(ctx: Context, file: string): Promise<string | undefined> {
  try {
    return (await readInput(file, ctx)).text;
  } catch (error) {
    if (error instanceof KnownError && systemErrorCode(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file may be brought up to date when it says what its base or the platform says; anything else is somebody's work. */
async function refuseLocalEdits(
  file: string,
  text: string,
  live: Manifest,
  memory: RolesMemoryOfContext,
): Promise<void> {
  const document = await parseDocumentText(file, text, formatOf(file));
  const { manifest, issues } = checkManifest(document.value, { catalogTasks: catalogTasks(), tolerateUnknown: true });
  const base = chooseBase(manifest, memory.store.bases(manifest).map(fromReply));
  const untouched = [base, live].some((known) => known && saysTheSame(manifest, known));
  if (issues.length === 0 && untouched) return;
  throw fail('roles.local_edits', {
    message: `${file} holds edits that the platform does not have; it was left as it is.`,
    hint: { text: 'Push them, or pull into another file. To see them:', command: `cdpadm roles diff ${file}` },
  });
}

/** Fields that the specification does not know are the platform's own; a file need not repeat them to say the same. */
function saysTheSame(manifest: Manifest, known: Manifest): boolean {
  return sameContent({ ...known, roles: carryUnknownFields(manifest.roles, known.roles) }, known);
}
