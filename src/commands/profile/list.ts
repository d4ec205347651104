// `profile list`: every profile, the built-in one last.
import { array, boolean, enum as oneOf, type infer as Infer, nullable, object, string } from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Draft } from './fields.ts';

function listResult() {
  return array(
    object({
      name: string(),
      current: boolean(),
      builtin: boolean(),
      base_url: nullable(string()),
      org_id: nullable(string()),
      environment: nullable(string()),
      protected: boolean(),
      access: oneOf(['read', 'write']),
    }),
  );
}

export const listProfiles = defineCommand({
  path: 'profile list',
  summary: 'list the profiles',
  effect: 'local',
  tool: [],
  calls: 'settings',
  output: listResult,
  examples: ['cdpadm profile list', 'cdpadm profile list -o name'],
  run: async (ctx): Promise<Infer<ReturnType<typeof listResult>>> => {
    const { current, profiles, warnings } = await (await ctx.profiles()).read();
    for (const warning of warnings) ctx.out.warn(warning);
    const all: [string, Draft['profile']][] = [...profiles, ['local', {}]];
    return all.map(([name, profile]) => ({
      name,
      current: name === current,
      builtin: name === 'local',
      base_url: profile.base_url ?? null,
      org_id: profile.org_id ?? null,
      environment: profile.environment ?? null,
      protected: profile.protected === true,
      access: profile.access ?? 'write',
    }));
  },
  view: {
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
  },
});
