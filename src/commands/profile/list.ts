// `profile list`: every profile, the built-in one last.
import { Command } from 'commander';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import type { Draft } from './fields.ts';

interface Row {
  name: string;
  current: boolean;
  builtin: boolean;
  base_url: string | null;
  org_id: string | null;
  environment: string | null;
  protected: boolean;
  access: 'read' | 'write';
}

const view: ListView<Row> = {
  kind: 'list',
  columns: [
    { key: 'name', id: true, value: ({ name }) => name },
    {
      key: 'current',
      value: ({ current }) => (current ? 'current' : ''),
      paint: (text, _row, style) => style.green(text),
    },
    { key: 'base_url', rank: 1, value: (row) => (row.builtin ? 'the embedded platform' : row.base_url) },
    { key: 'org_id', rank: 2, value: (row) => row.org_id },
    { key: 'environment', rank: 3, value: ({ environment }) => environment },
    { key: 'protected', rank: 4, value: (row) => (row.protected ? 'protected' : '') },
    { key: 'access', rank: 5, value: (row) => row.access },
  ],
  empty: 'There are no profiles.',
};

export function listProfilesCommand(ctx: Context): Command {
  const command = new Command('list').description('list the profiles').action(() => listProfiles(ctx));
  return withHelp(command, {
    calls: 'settings',
    columns: view.columns,
    examples: ['cdpadm profile list', 'cdpadm profile list -o name'],
    json: '[{"name","current","builtin","base_url","org_id","environment","protected","access"}]',
  });
}

async function listProfiles(ctx: Context): Promise<void> {
  const { current, profiles, warnings } = await (await ctx.profiles()).read();
  for (const warning of warnings) ctx.out.warn(warning);
  const all: [string, Draft['profile']][] = [...profiles, ['local', {}]];
  const rows = all.map(([name, profile]): Row => ({
    name,
    current: name === current,
    builtin: name === 'local',
    base_url: profile.base_url ?? null,
    org_id: profile.org_id ?? null,
    environment: profile.environment ?? null,
    protected: profile.protected === true,
    access: profile.access ?? 'write',
  }));
  await ctx.out.emit(rows, view);
}
