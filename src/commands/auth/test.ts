// `auth test`: tests the credentials, and reports for each area whether they work, and if not, why.
import { exitOf, fail } from '../../lib/errors/fail.ts';
import * as z from 'zod/mini';
import type { KnownError } from '../../lib/kernel/errors.ts';
import type { ExitName } from '../../lib/errors/entry.ts';
import type { Column } from '../../lib/render/view.ts';
import { type AreaCheck, areaCheck, checkAreas } from '../../lib/runtime/checks/areas.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

const COLUMNS: Column<Omit<AreaCheck, 'error'>>[] = [
  { key: 'credential', id: true, value: ({ credential }) => credential },
  { key: 'area', id: true, value: ({ area }) => area },
  {
    key: 'status',
    uncut: true,
    value: ({ status }) => status.replace('_', ' '),
    paint: (text, { status }, style) =>
      status === 'ok' ? style.green(text) : status === 'failed' ? style.red(text) : style.dim(text),
  },
  { key: 'detail', uncut: true, value: ({ detail }) => detail },
];

export const testAuth = defineCommand({
  path: 'auth test',
  summary: "test the profile's credentials",
  effect: 'read',
  calls: 'platform',
  columns: COLUMNS,
  output: () => z.array(areaCheck()),
  notes: [
    'platform: requests a token, then lists tasks, groups and connections. dsr: reads discovery. seeding: sends an empty list of users, which changes nothing; the platform checks the key and secret before it accepts or rejects the list. dsr and seeding use the same pair, `workspace_key` and `workspace_secret`.',
  ],
  examples: ['cdpadm auth test --profile local', 'cdpadm auth test --profile local -o json'],
  exits: {
    failed: 'the response does not come from the platform',
    auth: 'the configured credentials do not work, or none are configured',
  },
  run: async (ctx) => {
    const checks = await checkAreas(ctx);
    const rows = checks.map(({ error: _error, ...check }) => check);
    await ctx.out.emit(rows, { kind: 'list', columns: COLUMNS, empty: '' });
    const failed = checks.find(({ error }) => error !== undefined);
    if (failed?.error) throw testFailed(failed.area, failed.error);
    if (checks.every(({ status }) => status === 'not_configured')) throw await nothingConfigured(ctx);
  },
});

/** Keeps the exit code of usage errors, network errors, outages and unexpected responses: they prove nothing. */
function testFailed(area: string, cause: KnownError): KnownError {
  const kept: ExitName[] = ['usage', 'unavailable', 'network'];
  const isOther = ['http.unreadable', 'http.redirect'].includes(cause.code) || (cause.status ?? 0) >= 500;
  const unreached = isOther || kept.includes(exitOf(cause));
  return fail('auth.test_failed', {
    message: `The credentials for ${area} ${unreached ? 'could not be tested' : 'do not work'}: ${cause.message}`,
    // The hints of the error may suggest this command.
    hint: cause.hints.filter(({ command }) => command !== 'cdpadm auth test'),
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.request && { request: cause.request }),
    exit: unreached ? exitOf(cause) : 'auth',
    cause,
  });
}

async function nothingConfigured(ctx: Context): Promise<KnownError> {
  const { profile } = await ctx.settings();
  return fail('auth.no_credentials', {
    message: 'No area has both credentials and an address.',
    hint: profile
      ? {
          text: 'The list above shows other missing settings. To store credentials:',
          command: `cdpadm auth login --profile ${profile.value}`,
        }
      : {
          text: 'Set CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET, or create a profile:',
          command: 'cdpadm profile create NAME',
        },
  });
}
