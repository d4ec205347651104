// `auth test`: tries the credentials and says which areas work with them, and why the others do not.
import { Command } from 'commander';
import { CliError, EXIT, type ExitCode } from '../../lib/kernel/errors.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';

type Settings = Awaited<ReturnType<Context['settings']>>;
type SecretName = Parameters<Settings['secretOrigin']>[0];
type SettingName = Parameters<Settings['get']>[0];

interface Check {
  credential: 'platform' | 'dsr' | 'seeding';
  status: 'ok' | 'failed' | 'not_configured' | 'not_checked';
  detail: string;
}

const view: ListView<Check> = {
  kind: 'list',
  columns: [
    { key: 'credential', id: true, value: ({ credential }) => credential },
    {
      key: 'status',
      value: ({ status }) => status.replace('_', ' '),
      paint: (text, { status }, style) =>
        status === 'ok' ? style.green(text) : status === 'failed' ? style.red(text) : style.dim(text),
    },
    { key: 'detail', value: ({ detail }) => detail },
  ],
  empty: '',
};

export function testAuthCommand(ctx: Context): Command {
  const command = new Command('test').description('try the credentials of the profile').action(() => testAuth(ctx));
  return withHelp(command, {
    notes: [
      'platform: a token, then the list of tasks. dsr and seeding: whether key, secret and address are there; nothing is sent for them.',
    ],
    examples: ['cdpadm auth test', 'cdpadm auth test --profile local -o json'],
    json: '[{"credential":"platform|dsr|seeding","status":"ok|failed|not_configured|not_checked","detail"}]',
    errors: [
      '2  an id or address that the test needs is missing',
      '4  configured credentials do not work, or there are none',
      '7, 8  the platform could not be reached',
    ],
  });
}

async function testAuth(ctx: Context): Promise<void> {
  const settings = await ctx.settings();
  const platform = await testPlatform(ctx, settings);
  const checks = [
    platform.check,
    basicCheck(settings, 'dsr', ['dsr_base_url']),
    basicCheck(settings, 'seeding', ['seeding_url', 'identity_url']),
  ];
  await ctx.out.emit(checks, view);
  if (platform.error) throw testFailed(platform.error);
  if (checks.every(({ status }) => status === 'not_configured')) throw nothingConfigured();
}

async function testPlatform(ctx: Context, settings: Settings): Promise<{ check: Check; error?: CliError }> {
  const check = (status: Check['status'], detail: string): Check => ({ credential: 'platform', status, detail });
  const missing = settings.secretOrigin('access_token') ? [] : absentSecrets(settings, ['client_id', 'client_secret']);
  if (missing.length > 0) return { check: check('not_configured', `missing: ${missing.join(', ')}`) };
  try {
    const { roles } = await ctx.api();
    const tasks = await roles.listTasks(ctx.signal);
    return { check: check('ok', `roles answer (${tasks.length} tasks)`) };
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    return { check: check('failed', error.message), error };
  }
}

/** The basic credentials: none of their areas has a call here that would try them without an effect. */
function basicCheck(settings: Settings, credential: 'dsr' | 'seeding', addresses: SettingName[]): Check {
  const missing = absentSecrets(settings, ['workspace_key', 'workspace_secret']);
  if (addresses.every((name) => !settings.get(name))) missing.push(addresses.join(' or '));
  return missing.length > 0
    ? { credential, status: 'not_configured', detail: `missing: ${missing.join(', ')}` }
    : { credential, status: 'not_checked', detail: 'key, secret and address are there; nothing was sent' };
}

function absentSecrets(settings: Settings, names: SecretName[]): string[] {
  return names.filter((name) => !settings.secretOrigin(name));
}

/** Network, outage and a missing id keep their own exit code: they say nothing about the credentials. */
function testFailed(cause: CliError): CliError {
  const kept: ExitCode[] = [EXIT.usage, EXIT.unavailable, EXIT.network];
  const unreached = kept.includes(cause.exit);
  return new CliError({
    code: 'auth.test_failed',
    message: `The platform credentials ${unreached ? 'could not be tried' : 'do not work'}: ${cause.message}`,
    ...(cause.hint !== undefined && { hint: cause.hint }),
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.request && { request: cause.request }),
    exit: unreached ? cause.exit : EXIT.auth,
    cause,
  });
}

function nothingConfigured(): CliError {
  return new CliError({
    code: 'auth.no_credentials',
    message: 'No credentials are configured.',
    hint: 'Create a profile (cdpadm profile create NAME), or set CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET.',
    exit: EXIT.auth,
  });
}
