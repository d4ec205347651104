// `profile create` on a terminal: its prompts and the resulting profile.
import { describe, expect, it } from 'vitest';
import type { Draft, Profiles } from '../../src/commands/profile/fields.ts';
import { askForSettings, type AddressProbe } from '../../src/commands/profile/questions.ts';
import { KnownError } from '../../src/lib/kernel/errors.ts';
import type { Choice, Context, PromptOptions } from '../../src/lib/runtime/context.ts';
import { openProfiles } from '../../src/lib/config/profiles.ts';
import { failureOf } from '../helpers/failure.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { memoryKeychain, secretsOptions } from '../unit/lib/config/folders.ts';

/**
 * Answers prompts that begin with a given prefix, and presses Enter at all others. `review` contains the settings to
 * select from the list.
 */
function answerPrompts(answers: Record<string, string>, review: readonly string[] = [], { yes = false } = {}) {
  const asked: string[] = [];
  const reply = (question: string, options: PromptOptions = {}): Promise<string> => {
    asked.push(question);
    const key = Object.keys(answers).find((prefix) => question.startsWith(prefix));
    const text = key === undefined ? (options.initial ?? '') : (answers[key] ?? '');
    const problem = options.check?.(text);
    return problem === undefined ? Promise.resolve(text) : Promise.reject(new Error(problem));
  };
  const ask = (question: string) => reply(question).then((answer) => answer === 'y');
  // In the list of all settings, select those in `review`, then create the profile.
  const changes = [...review];
  const select = (question: string, choices: readonly Choice[]) => {
    if (!question.startsWith('Create profile')) return reply(question).then((answer) => answer || 'none');
    lists.push(choices.map(({ label = '' }) => label));
    return Promise.resolve(changes.shift() ?? 'create');
  };
  const lists: string[][] = [];
  const shown: string[] = [];
  const out = {
    warn: (text: string) => asked.push(`! ${text}`),
    show: (text: (style: unknown, width: number) => string) => shown.push(text(undefined, 200).trim()),
  };
  const ctx = {
    io: { env: {} },
    flags: { yes },
    prompt: { possible: true, input: reply, secret: reply, select, ask },
    out,
  } as unknown as Context;
  return { ctx, asked, shown, lists };
}

function profilesOf(keychain = memoryKeychain()): Profiles {
  return openProfiles(secretsOptions(temporaryFolder(), { keychain: () => Promise.resolve(keychain) }));
}

function draftOf(profile: Draft['profile'] = {}, typed: Draft['typed'] = {}): Draft {
  return { profile, typed, storage: 'keychain', use: false };
}

const reachable: AddressProbe = () => Promise.resolve({ status: 'ok', detail: '' });
const HOW = { name: 'prod', probe: reachable };

describe('profile create on a terminal', () => {
  it('prompts for the address, the client id and the secret, and requires nothing else', async () => {
    const { ctx, asked, lists } = answerPrompts({
      'Platform address': 'https://api.example/',
      'Client id': ' me ',
      'Client secret': 's3cret',
    });
    const draft = draftOf();
    await askForSettings(ctx, profilesOf(), draft, HOW);
    expect(asked).toEqual([
      'Platform address (Enter to skip)',
      'Client id (Enter to skip)',
      'Client secret (will be stored in the keychain; Enter to skip)',
    ]);
    expect(draft.profile).toEqual({
      base_url: 'https://api.example',
      secrets: { client_id: 'me' },
    });
    expect(draft.typed).toEqual({ client_secret: 's3cret' });
    expect(lists).toHaveLength(1);
    expect(lists[0]?.slice(0, 6)).toEqual([
      'Create it',
      'Platform address: https://api.example',
      'Client id: me',
      'Client secret: (hidden)',
      'Token service address: https://api.example (the platform address)',
      'Organization id: none, for roles',
    ]);
  });

  it('prompts again for each setting selected from the list, and removes one if the answer is `-`', async () => {
    const answers: Record<string, string> = {
      'Platform address': 'https://api.example',
      'Token service address': 'https://auth.example',
      Organization: ' 7 ',
      Environment: 'production',
    };
    const review = ['auth_url', 'org_id', 'environment', 'org_id', 'base_url'];
    const { ctx, asked } = answerPrompts(answers, review);
    const select = async (question: string, choices: Choice[], options?: PromptOptions): Promise<string> => {
      // Answer the second prompt for the organization with a hyphen, which removes the setting.
      if (asked.filter((one) => one.startsWith('Organization')).length === 1) answers['Organization'] = '-';
      return await ctx.prompt.select(question, choices, options);
    };
    const draft = draftOf();
    await askForSettings({ ...ctx, prompt: { ...ctx.prompt, select } } as Context, profilesOf(), draft, HOW);
    expect(draft.profile).toEqual({
      base_url: 'https://api.example',
      auth_url: 'https://auth.example',
      environment: 'production',
      protected: true,
    });
    expect(asked).toContain('Organization id (Enter to skip)');
    expect(asked).toContain('Organization id (- for none)');
    expect(asked.at(-1)).toBe('Platform address (- for none)');
  });

  it('protects a profile only if its environment is production or a flag requires it', async () => {
    for (const given of [{}, { protected: true }]) {
      const answers: Record<string, string> = { Environment: 'production' };
      const { ctx } = answerPrompts(answers, ['environment', 'environment']);
      const ask = (question: string, choices: Choice[], options?: PromptOptions): Promise<string> =>
        ctx.prompt.select(question, choices, options).then((answer) => {
          if (question === 'Environment') answers['Environment'] = 'development';
          return answer;
        });
      const draft = draftOf({ base_url: 'https://a.example', ...given });
      await askForSettings({ ...ctx, prompt: { ...ctx.prompt, select: ask } } as Context, profilesOf(), draft, HOW);
      expect(draft.profile).toMatchObject({ environment: 'development', ...given });
      expect('protected' in draft.profile).toBe('protected' in given);
    }
  });

  it('prompts for credentials only if an entered address requires them', async () => {
    const { ctx, asked } = answerPrompts({ 'Data subject': 'https://dsr.example' }, ['dsr_base_url']);
    await askForSettings(ctx, profilesOf(), draftOf(), HOW);
    expect(asked).toEqual([
      'Platform address (Enter to skip)',
      'Data subject request address (Enter to skip)',
      'Workspace key (will be stored in the keychain; Enter to skip)',
      'Workspace secret (will be stored in the keychain; Enter to skip)',
    ]);
  });

  it('prompts only for settings that no flag specifies, and skips the list if --yes is set', async () => {
    const { ctx, asked, lists } = answerPrompts({}, [], { yes: true });
    const secrets = { client_id: 'me', client_secret: 'env:X' };
    const draft = draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example', secrets });
    await askForSettings(ctx, profilesOf(), draft, HOW);
    expect([asked, lists]).toEqual([[], []]);
    expect(draft.profile.auth_url).toBe('https://b.example');
    const without = answerPrompts({ 'Client id': 'me' }, [], { yes: true });
    await askForSettings(
      without.ctx,
      profilesOf(),
      draftOf({ base_url: 'https://a.example' }, { client_secret: 's' }),
      HOW,
    );
    expect(without.asked).toEqual(['Client id (Enter to skip)']);
  });

  it('does not prompt for the client secret if the client id is skipped', async () => {
    const { ctx, asked } = answerPrompts({});
    await askForSettings(ctx, profilesOf(), draftOf({ base_url: 'https://a.example' }), HOW);
    expect(asked).toEqual(['Client id (Enter to skip)']);
  });

  it('rejects an invalid answer immediately', async () => {
    const { ctx } = answerPrompts({ 'Platform address': 'http://api.example' });
    await expect(askForSettings(ctx, profilesOf(), draftOf(), HOW)).rejects.toThrow(/https:\/\//);
  });

  it('does not create a profile without an address', async () => {
    const { ctx, asked, lists } = answerPrompts({ 'Identity intake': 'https://intake.example' }, [
      'create',
      'identity_url',
    ]);
    await askForSettings(ctx, profilesOf(), draftOf(), HOW);
    expect(asked).toContain('! A profile needs at least one address.');
    expect(lists).toHaveLength(3);
  });

  const missing = new KnownError({ code: 'secrets.keychain', message: 'There is no keychain.' });
  const withoutKeychain = (): Profiles => ({ ...profilesOf(), checkKeychain: () => Promise.reject(missing) });
  const CLIENT = { base_url: 'https://a.example', secrets: { client_id: 'me' } };

  it('warns before the first prompt that there is no keychain, and prompts for the location of each secret', async () => {
    const { ctx, asked } = answerPrompts(
      {
        'Platform address': 'https://api.example/',
        'Identity intake address': 'https://intake.example',
        'Client id': 'me',
        'Client secret: where it is': ' env:CDP_SECRET ',
        'Workspace key: where it is': 'command:pass show key',
      },
      ['identity_url'],
    );
    const draft = draftOf();
    await askForSettings(ctx, withoutKeychain(), draft, HOW);
    expect(draft.typed).toEqual({});
    expect(draft.profile).toMatchObject({
      identity_url: 'https://intake.example',
      secrets: { client_id: 'me', client_secret: 'env:CDP_SECRET', workspace_key: 'command:pass show key' },
    });
    expect(asked[0]).toMatch(/^! There is no keychain\. .*--insecure-storage/);
    expect(asked.filter((question) => question.startsWith('!'))).toHaveLength(1);
  });

  it('prompts for the location of the only missing secret, and skips the secret if the answer is empty', async () => {
    const { ctx, asked } = answerPrompts({});
    const draft = draftOf(structuredClone(CLIENT));
    await askForSettings(ctx, withoutKeychain(), draft, HOW);
    expect(asked.at(-1)).toBe('Client secret: where it is, as env:NAME or command:LINE (Enter to skip)');
    expect(draft.profile.secrets).toEqual({ client_id: 'me' });
  });

  it.each(['s3cret-value', 'env:s3cret-value', 'command:'])(
    'rejects %j as the location of a secret, and does not print it',
    async (answer) => {
      const { ctx } = answerPrompts({ 'Client id': 'me', 'Client secret': answer });
      const given = { base_url: 'https://a.example' };
      const error = await failureOf(askForSettings(ctx, withoutKeychain(), draftOf(given), HOW));
      expect(error.message).toMatch(/^Enter where the secret is, as env:NAME or command:LINE/);
      expect(error.message).not.toContain('s3cret');
    },
  );

  it('checks the keychain only if a secret needs it, and reports other failures', async () => {
    const { ctx, asked } = answerPrompts({});
    await askForSettings(ctx, withoutKeychain(), draftOf({ base_url: 'https://a.example' }), HOW);
    expect(asked.filter((question) => question.startsWith('!'))).toEqual([]);
    const other = new KnownError({ code: 'io', message: 'other' });
    const profiles = { ...profilesOf(), checkKeychain: () => Promise.reject(other) };
    await expect(askForSettings(ctx, profiles, draftOf(), HOW)).rejects.toBe(other);
  });

  it('asks whether to keep or replace an unreachable address', async () => {
    const probe: AddressProbe = (address) =>
      Promise.resolve({
        status: address.includes('down') ? 'failed' : 'ok',
        detail: `${address}: nothing`,
        fix: 'Retry.',
      });
    const kept = answerPrompts({ 'Platform address': 'https://down.example', 'Keep it anyway?': 'y' });
    const draft = draftOf();
    await askForSettings(kept.ctx, profilesOf(), draft, { name: 'prod', probe });
    expect(draft.profile.base_url).toBe('https://down.example');
    expect(kept.asked).toContain('! https://down.example: nothing. Retry.');

    const replies: Record<string, string> = { 'Platform address': 'https://down.example' };
    const again = answerPrompts(replies);
    const other = draftOf();
    const recover = (address: string): ReturnType<AddressProbe> => {
      replies['Platform address'] = 'https://up.example';
      return probe(address);
    };
    await askForSettings(again.ctx, profilesOf(), other, { name: 'prod', probe: recover });
    expect(other.profile.base_url).toBe('https://up.example');
  });
});
