// Reads the settings for tab completion as fast as possible, without checks. A broken file counts as empty.
import { readFileSync } from 'node:fs';
import { isRecord, readRecord } from '../kernel/json.ts';
import { findProjectFile, settingsFilePath } from './paths.ts';
import type { IdScope } from './known-ids.ts';

interface QuickSources {
  configFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  flags: { profile?: string | undefined; org?: string | undefined; workspace?: string | undefined };
}

/** Returns the project file's output format, unchecked. */
export function quickOutput(cwd: string, home: string): string | undefined {
  const file = findProjectFile(cwd, home);
  return file === undefined ? undefined : topLevel(textOf(file))['output'];
}

/** Applies the same precedence as `resolve-settings.ts`. */
export function readQuickSettings({ configFolder, env, cwd, home, flags }: QuickSources) {
  const stored = readRecord<Record<'current' | 'profiles', unknown>>(textOf(settingsFilePath(configFolder))) ?? {};
  const profiles = recordOf(stored.profiles);
  const projectFile = findProjectFile(cwd, home);
  const project = projectFile === undefined ? {} : topLevel(textOf(projectFile));
  const profile = flags.profile || env.CDPADM_PROFILE || project['profile'] || text(stored.current);
  const pinned = Boolean(flags.profile);
  const own = recordOf(profile === undefined ? undefined : profiles[profile]);
  const valueOf = (name: string, flag?: string): string | undefined =>
    flag || (pinned ? undefined : env[`CDPADM_${name.toUpperCase()}`] || project[name]) || text(own[name]);
  const scope: IdScope = {
    profile,
    base_url: valueOf('base_url'),
    org_id: valueOf('org_id', flags.org),
    workspace_id: valueOf('workspace_id', flags.workspace),
  };
  return {
    /** Profile names, except the built-in `local`. */
    profiles: Object.keys(profiles),
    profile,
    /** Values of the id `name` in all profiles, each with the first profile that has it. */
    valuesOf: (name: 'org_id' | 'account_id' | 'workspace_id') => {
      const found = new Map<string, string>();
      for (const [one, fields] of Object.entries(profiles)) {
        const value = text(recordOf(fields)[name]);
        if (value !== undefined && !found.has(value)) found.set(value, one);
      }
      return Array.from(found, ([value, one]) => ({ value, profile: one }));
    },
    scope,
  };
}

/** Returns the unindented `name: value` lines in YAML text. */
function topLevel(yaml: string): Record<string, string> {
  const lines = yaml.matchAll(/^([a-z_]+):[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#"'][^\n#]*))/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name = '', double, single, plain]) => [name, double ?? single ?? plain?.trim() ?? '']),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Ignore the error here: the next command reports it.
    return '';
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Ids in the file may be numbers or strings. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
