// `roles pull`: saves the live manifest as a file to edit.
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { ManifestReply } from '../../lib/contract/roles.ts';
import {
  fromReply,
  inStableOrder,
  type Manifest,
  sameContent,
  toReply,
  sameStamp,
} from '../../lib/domain/roles/manifest.ts';
import { carryUnknownFields, chooseBase, resolveConflict, wantedRoles } from '../../lib/domain/roles/merge.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { formatOf, parseDocumentText } from '../../lib/files/load.ts';
import { readInput, resolvePath } from '../../lib/files/read-input.ts';
import {
  realFile,
  rewriteManifestText,
  SCHEMA_HINT,
  updateManifestText,
  writeBack,
  writeManifestText,
  markConflicts,
} from '../../lib/files/roles-file.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import { isAbsent, KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { makeUserFolder } from '../../lib/kernel/temporary-file.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { outdatedError, outdatedText, conflictError } from '../../lib/workflows/roles-plan.ts';
import { each } from '../results.ts';
import { askConflicts } from './apply.ts';
import { baseFlag, DEFAULT_FILE, openRolesFile, tellRebased } from './session.ts';
import { fail } from '../../lib/errors/fail.ts';

function pulledResult() {
  return z.object({
    file: z.string(),
    roles: z.number(),
    changed: z.boolean(),
    ...each(z.nullable(z.string()), 'last_modified_on', 'last_modified_by'),
  });
}

export const pullRoles = defineCommand({
  path: 'roles pull',
  summary: 'write the live manifest to a file to edit, diff and push',
  effect: 'local',
  calls: 'platform',
  args: { file: { default: DEFAULT_FILE, help: 'file to write, YAML or JSON; - writes to standard output' } },
  flags: {
    overwrite: { help: 'overwrite a file that has local edits' },
    merge: { conflicts: ['overwrite'], help: 'merge platform changes into a file that has local edits' },
    base: baseFlag,
  },
  output: () => z.union([pulledResult(), ManifestReply]),
  columns: (_flags, [file]) =>
    file === '-' ? undefined : asColumns('file roles changed last_modified_on last_modified_by'),
  notes: [
    'A file without local edits is updated in place and keeps its comments and order. --merge does the same for a file with local edits. On a terminal, the command asks about each field that both you and the platform changed. Otherwise, the file keeps your value, a comment `# CONFLICT platform: …` above it shows the value on the platform, and the exit code is 6. `validate`, `diff` and `push` reject a file with such a comment. A JSON file with conflicts is not changed.',
  ],
  examples: [
    'cdpadm roles pull',
    'cdpadm roles pull team.json --overwrite',
    'cdpadm roles pull --merge',
    'cdpadm roles pull -',
  ],
  exits: {
    conflict: 'the file has local edits (see --merge), conflicts remain after a merge, or the manifest is outdated',
    invalidInput: 'the existing file is not valid YAML or JSON',
  },
  run: async (ctx, { args: { file }, flags: { overwrite, merge, base } }) => {
    if (base !== undefined && !merge) throw usageError('--base needs --merge.');
    if (file === '-' && merge) throw usageError('--merge needs a file, not standard output.');
    const { output, dryRun } = ctx.flags;
    const memory = await openRolesMemory(ctx);
    const api = await ctx.api();
    const live = fromReply(await api.roles.get({ signal: ctx.signal }));
    const existing = overwrite || file === '-' ? undefined : await readIfThere(ctx, file);
    // A new file accepts an outdated manifest, for example after a reset of the platform.
    const outdated = outdatedText(live, memory.store.newestTime());
    if (outdated !== undefined && existing !== undefined) throw outdatedError(outdated);
    if (outdated !== undefined) ctx.out.warn(outdated);
    const ordered = toReply({ ...live, roles: inStableOrder(live.roles) });
    const format = formatOf(file);
    const headline = `Roles of organization ${memory.scope.organization} at ${memory.scope.address}`;
    const fresh = (): Promise<string> => writeManifestText(ordered, format, headline);
    if (file === '-') {
      if (output === 'table') return await ctx.out.emitText(await fresh());
      return await ctx.out.emit(ordered, { kind: 'document', text: (manifest) => jsonText(manifest, 2) });
    }
    const path = resolvePath(file, ctx.io.cwd);
    const merged = merge && existing !== undefined ? await mergeFile(ctx, file, live, memory, base) : undefined;
    if (existing !== undefined && !merged) await requireNoEdits(ctx, file, existing, live, memory);
    const text =
      existing === undefined
        ? await fresh()
        : (merged?.text ??
          (await updateManifestText(existing, format, toReply(live))) ??
          (await rewriteManifestText(existing, toReply(live))));
    const { last_modified_on, last_modified_by } = live;
    const changed = text !== existing;
    const pulled: z.infer<ReturnType<typeof pulledResult>> = {
      file,
      roles: merged?.roles ?? live.roles.length,
      changed,
      last_modified_on,
      last_modified_by,
    };
    if (dryRun) {
      await ctx.out.emitDryRun([], pulled, () => text, [file]);
      if (merged?.conflict) throw merged.conflict;
      return;
    }
    await memory.store.saveBase(toReply(live), realFile(file, ctx));
    const written = !changed || (existing !== undefined && writeBack(path, merged?.read ?? existing, text));
    if (written === 'changed' || (merged && written === 'stream')) throw unchanged(file, 'another program changed it');
    if (written === false || written === 'stream') writeUserFile(path, text);
    if (merged?.conflict) throw merged.conflict;
    if (text.includes(SCHEMA_HINT)) await writeSchema(ctx, path);
    const line = `${changed ? 'Wrote' : 'Up to date'}: ${file} (${pulled.roles} roles)`;
    if (output !== 'table') await ctx.out.emit(pulled, { kind: 'document', text: () => line });
    ctx.out.note(line);
    if (merged?.isLive) return;
    const next = merged ? 'To see what a push would change:' : 'Edit it, then:';
    ctx.out.note({ text: next, command: `cdpadm roles diff${file === DEFAULT_FILE ? '' : ` ${shellWord(file)}`}` });
  },
});

/** Writes the schema next to the roles file that refers to it, so that editors find it on every machine. */
async function writeSchema(ctx: Context, rolesFile: string): Promise<void> {
  const { rolesFileSchema } = await import('../../lib/files/roles-schema.ts');
  const path = join(dirname(rolesFile), SCHEMA_HINT);
  const text = `${JSON.stringify(rolesFileSchema, null, 2)}\n`;
  if ((await readIfThere(ctx, path)) === text) return;
  makeUserFolder(dirname(path));
  writeUserFile(path, text);
}

async function readIfThere(ctx: Context, file: string): Promise<string | undefined> {
  try {
    return (await readInput(file, ctx)).text;
  } catch (error) {
    if (error instanceof KnownError && isAbsent(error.cause)) return undefined;
    throw error;
  }
}

/** Only a file with the content of its base or of the platform may be updated; other content is the user's work. */
async function requireNoEdits(
  ctx: Context,
  file: string,
  text: string,
  live: Manifest,
  { store }: RolesMemoryOfContext,
): Promise<void> {
  const document = await parseDocumentText(file, text, formatOf(file));
  const { manifest, issues } = checkManifest(document.value, { tolerateUnknown: true });
  const base = chooseBase(manifest, store.bases(manifest, realFile(file, ctx)).map(fromReply));
  // A file may omit the platform's own fields and still have the same content.
  const hasContentOf = (known: Manifest): boolean =>
    sameContent({ ...known, roles: carryUnknownFields(manifest.roles, known.roles) }, known);
  if (issues.length === 0 && [base, live].some((known) => known && hasContentOf(known))) return;
  const what = base
    ? 'has edits that are not on the platform'
    : 'may have edits, because this machine does not have the manifest that it was created from';
  throw fail('roles.local_edits', {
    message: `${file} ${what}. The file was not changed.`,
    hint: [
      base
        ? {
            text: 'Push the edits, pull into another file, or merge:',
            command: `cdpadm roles pull ${shellWord(file)} --merge`,
          }
        : { text: 'Pull into another file, and merge by hand:', command: 'cdpadm roles pull new.yaml' },
      { text: 'To see the edits:', command: `cdpadm roles diff ${shellWord(file)}` },
    ],
  });
}

/** Merges live changes into a file. Conflicts become comments; a file that cannot have comments is not changed (6). */
async function mergeFile(
  ctx: Context,
  file: string,
  live: Manifest,
  memory: RolesMemoryOfContext,
  baseFile: string | undefined,
): Promise<{ text: string; read: string; roles: number; isLive: boolean; conflict?: KnownError }> {
  const { document, base, check } = await openRolesFile(ctx, file, memory, baseFile);
  const { manifest } = check({ live });
  const merged = wantedRoles(manifest, base ?? (sameStamp(manifest, live) ? live : undefined), live);
  if (!base && !sameStamp(manifest, live) && !sameContent({ ...live, roles: merged.roles }, live)) {
    throw fail('roles.stale_file', {
      message: `This machine cannot merge, because it does not have the manifest that ${file} was created from.`,
      hint: 'Pass that manifest with --base FILE.',
    });
  }
  const asked = await askConflicts(ctx, merged);
  const roles = asked.conflicts.reduce((list, one) => resolveConflict(list, one, one.mine), asked.roles);
  const { text: read, format } = document;
  const text = await updateManifestText(read, format, { ...toReply(live), roles });
  if (text === undefined) throw unchanged(file, 'its YAML cannot be edited in place');
  if (asked.conflicts.length === 0) {
    tellRebased(ctx, { ...asked, roles });
    return { text, read, roles: roles.length, isLive: sameContent({ ...live, roles }, live) };
  }
  const error = conflictError({ ...asked, file }, ctx.redactor.text);
  const marked = format === 'json' ? undefined : await markConflicts(text, asked.conflicts);
  if (marked === undefined) {
    throw error.with({
      message: `Conflict: you and the platform changed the same fields. ${file} was not changed.`,
      hint: { text: 'To choose the values on a terminal:', command: `cdpadm roles pull ${shellWord(file)} --merge` },
    });
  }
  tellRebased(ctx, { ...asked, roles });
  const conflict = error.with({
    message: `Conflict: you and the platform changed the same fields. ${file} keeps your values, with the platform's values in comments.`,
    hint: {
      text: 'Choose a value for each field, and delete the comments. To check the result:',
      command: `cdpadm roles diff ${shellWord(file)}`,
    },
  });
  return { text: marked, read, roles: roles.length, isLive: false, conflict };
}

function unchanged(file: string, reason: string): KnownError {
  return fail('roles.local_edits', {
    message: `${file} was not changed: ${reason}.`,
    hint: { text: 'Pull into another file, and merge by hand:', command: 'cdpadm roles pull new.yaml' },
  });
}
