// `auth test`: tries the credentials and says which areas work with them, and why the others do not.
import { exitOf } from '../../lib/errors/exit.ts';
import { array, enum as oneOf, type infer as Infer, object, string } from 'zod/mini';
import type { KnownError } from '../../lib/kernel/errors.ts';
import type { ExitName } from '../../lib/errors/entry.ts';
import type { ListView } from '../../lib/render/view.ts';
import { checkAreas } from '../../lib/runtime/checks/areas.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';

type Check = Infer<ReturnType<typeof checkResult>>;

const view: ListView<Check> = {
  kind: 'list',
  columns: [
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
  ],
  empty: '',
};

export const testAuth = defineCommand({
  path: 'auth test',
  summary: 'try the credentials of the profile',
  effect: 'read',
  calls: 'platform',
  columns: view.columns,
  output: () => array(checkResult()),
  notes: [
    'platform: a token, then the list of tasks, of groups, of connections. dsr: discovery. seeding: a list without users, which a platform refuses or takes without any effect, but only after it has looked at key and secret. dsr and seeding share one pair, `workspace_key` and `workspace_secret`.',
  ],
  examples: ['cdpadm auth test --profile local', 'cdpadm auth test --profile local -o json'],
  exits: {
    failed: 'something answered that is not the platform',
    auth: 'configured credentials do not work, or there are none',
  },
  run: tryCredentials,
});

function checkResult() {
  return object({
    credential: oneOf(['platform', 'dsr', 'seeding']),
    area: string(),
    status: oneOf(['ok', 'failed', 'not_configured', 'not_checked']),
    detail: string(),
  });
}

async function tryCredentials(ctx: Context): Promise<void> {
  const checks = await checkAreas(ctx);
  await ctx.out.emit(
    checks.map(({ error: _error, ...check }) => check),
    view,
  );
  const failed = checks.find(({ error }) => error !== undefined);
  if (failed?.error) throw testFailed(failed.area, failed.error);
  if (checks.every(({ status }) => status === 'not_configured')) throw await nothingConfigured(ctx);
}

/** Network, outage and answers of something else keep their own exit code: they say nothing about the credentials. */
function testFailed(area: string, cause: KnownError): KnownError {
  const kept: ExitName[] = ['usage', 'unavailable', 'network'];
  const isOther = ['http.unreadable', 'http.redirect'].includes(cause.code) || (cause.status ?? 0) >= 500;
  const unreached = isOther || kept.includes(exitOf(cause));
  return fail('auth.test_failed', {
    message: `The credentials for ${area} ${unreached ? 'could not be tried' : 'do not work'}: ${cause.message}`,
    // Elsewhere a hint proposes this very command.
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
    message: 'No credentials are configured, or no address for them.',
    hint: profile
      ? {
          text: 'What else is missing is listed above. To store them:',
          command: `cdpadm auth login --profile ${profile.value}`,
        }
      : {
          text: 'Set CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET, or create a profile:',
          command: 'cdpadm profile create NAME',
        },
  });
}
