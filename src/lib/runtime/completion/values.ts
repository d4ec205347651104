// Values for arguments and flags: which source each one has, and what that source may look at.
import type { Argument, Option } from 'commander';
import { openKnownIds } from '../../config/known-ids.ts';
import { readQuickSettings } from '../../config/quick-settings.ts';
import type { Context } from '../context.ts';
import { helpOf } from '../command-line/help.ts';
import type { Candidate, Completion, CompletionPoint, Values } from './complete.ts';
import { type Known, type Source, SOURCES } from './sources.ts';

/** For a context that never goes beyond this machine; `home` is where the search for a project file ends. */
export function createValues(ctx: Context, home: string): Values {
  return async (subject, point) => {
    const file = fileKind(subject);
    if (file) return { kind: file, candidates: [] };
    if (subject.argChoices) return listed(subject.argChoices.map((value) => ({ value })));
    const name = nameOf(subject);
    const own = helpOf(point.command)?.values?.[name];
    if (own) {
      const { typed, operands, flags } = point;
      return listed(own({ typed, operands, before: flags.get(name) }).map((value) => ({ value })));
    }
    const source = sourceOf(name, point);
    return source && listed(await source(point, () => readKnown(ctx, home, point)));
  };
}

function readKnown(ctx: Context, home: string, { flags }: CompletionPoint): Known {
  const settings = readQuickSettings({
    configFolder: ctx.paths.config,
    env: ctx.io.env,
    cwd: ctx.io.cwd,
    home,
    flags: { profile: flags.get('--profile'), org: flags.get('--org'), workspace: flags.get('--workspace') },
  });
  const known = openKnownIds(ctx.paths.cache, settings.scope);
  return {
    ...settings,
    ids: (kind) => known.read(kind).map((value) => ({ value })),
    paths: ctx.paths,
    variables: Object.keys(ctx.io.env),
    cwd: ctx.io.cwd,
  };
}

function listed(candidates: Candidate[]): Completion {
  return { kind: 'values', candidates };
}

/** `<file>`, `<dir>`, `<file|url>`: the shell knows best. */
function fileKind(subject: Argument | Option): 'files' | 'folders' | undefined {
  const name = placeholderOf(subject);
  if (name === 'dir') return 'folders';
  return name === 'file' || name === 'file|url' ? 'files' : undefined;
}

/** `<role_id>` of a flag, or an argument's own name. */
function placeholderOf(subject: Argument | Option): string {
  if (!('flags' in subject)) return subject.name();
  return /[<[]([^<>[\]]+?)(?:\.{3})?[>\]]$/.exec(subject.flags)?.[1] ?? '';
}

/** `--task` of a flag, or an argument's own name. */
function nameOf(subject: Argument | Option): string {
  return 'flags' in subject ? (subject.long ?? '') : subject.name();
}

/** By command and argument, else by argument; flags by command and flag, else by flag. */
function sourceOf(name: string, { path }: CompletionPoint): Source | undefined {
  const [group = ''] = path.split(' ');
  return SOURCES[`${path} ${name}`] ?? SOURCES[`${group} ${name}`] ?? SOURCES[name];
}
