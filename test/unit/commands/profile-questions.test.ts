// `profile create` on a terminal: its prompts and the resulting profile.
import { describe, expect, it } from 'vitest';
import type { Draft, Profiles } from '../../../src/commands/profile/fields.ts';
import { askForMissing, type AddressProbe } from '../../../src/commands/profile/questions.ts';
import { KnownError } from '../../../src/lib/kernel/errors.ts';
import type { Context, PromptOptions } from '../../../src/lib/runtime/context.ts';
import { openProfiles } from '../../../src/lib/config/profiles.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { memoryKeychain, secretsOptions } from '../lib/config/folders.ts';

/** Answers prompts by their prefix, and skips all others with Enter. */
function answerPrompts(answers: Record<string, string>) {
  const asked: string[] = [];
  const reply = (question: string, options: PromptOptions = {}): Promise<string> => {
    asked.push(question);
    const key = Object.keys(answers).find((prefix) => question.startsWith(prefix));
    const text = key === undefined ? '' : (answers[key] ?? '');
    const problem = options.check?.(text);
    return problem === undefined ? Promise.resolve(text) : Promise.reject(new Error(problem));
  };
  const ask = (question: string) => reply(question).then((answer) => answer === 'y');
  const select = (question: string) => reply(question).then((answer) => answer || 'none');
  const shown: string[] = [];
  const out = {
    warn: (text: string) => asked.push(`! ${text}`),
    show: (text: (style: unknown, width: number) => string) => shown.push(text(undefined, 200).trim()),
  };
  const ctx = {
    io: { env: {} },
    prompt: { possible: true, input: reply, secret: reply, select, ask },
    out,
  } as unknown as Context;
  return { ctx, asked, shown };
}

function profilesOf(keychain = memoryKeychain()): Profiles {
  return openProfiles(secretsOptions(temporaryFolder(), { keychain: () => Promise.resolve(keychain) }));
}

function draftOf(profile: Draft['profile'] = {}, typed: Draft['typed'] = {}): Draft {
  return { profile, typed, storage: 'keychain', use: false };
}

const reachable: AddressProbe = () => Promise.resolve({ status: 'ok', detail: '' });
const ALL = { all: true, probe: reachable };
const REST = { all: false, probe: reachable };

describe('askForMissing', () => {
  it('prompts for every field without flags', async () => {
    const { ctx, asked } = answerPrompts({
      'Platform address': 'https://api.example/',
      'Token service address': 'https://auth.example',
      'Seeding address': 'https://seed.example',
      Organization: ' 7 ',
      'Client id': 'me',
      'Client secret': 's3cret',
      Environment: 'production',
      'Workspace key': 'wk',
      'Workspace secret': 'ws3cret',
    });
    const draft = draftOf();
    await askForMissing(ctx, profilesOf(), draft, ALL);
    expect(draft.profile).toEqual({
      base_url: 'https://api.example',
      auth_url: 'https://auth.example',
      seeding_url: 'https://seed.example',
      org_id: '7',
      environment: 'production',
      protected: true,
      secrets: { client_id: 'me' },
    });
    expect(draft.typed).toEqual({ client_secret: 's3cret', workspace_key: 'wk', workspace_secret: 'ws3cret' });
    expect(asked.some((question) => question.includes('address'))).toBe(true);
  });

  it('prompts only for the essential fields with flags', async () => {
    const { ctx, asked } = answerPrompts({ Account: '2' });
    const secrets = { client_id: 'me', client_secret: 'env:X' };
    const draft = draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example', org_id: '1', secrets });
    await askForMissing(ctx, profilesOf(), draft, REST);
    expect(asked).toEqual(['Account id (needed for roles; Enter to skip)']);
    expect(draft.profile.account_id).toBe('2');
  });

  it('does not prompt for a secret without its id or with a piped secret', async () => {
    const without = answerPrompts({});
    await askForMissing(
      without.ctx,
      profilesOf(),
      draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example' }),
      REST,
    );
    expect(without.asked.filter((question) => question.includes('secret'))).toEqual([]);
    const piped = answerPrompts({ 'Client id': 'me' });
    await askForMissing(
      piped.ctx,
      profilesOf(),
      draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example' }, { client_secret: 's' }),
      REST,
    );
    expect(piped.asked.filter((question) => question.includes('secret'))).toEqual([]);
  });

  it('rejects an invalid answer immediately', async () => {
    const { ctx } = answerPrompts({ 'Platform address': 'http://api.example' });
    await expect(askForMissing(ctx, profilesOf(), draftOf(), ALL)).rejects.toThrow(/https:\/\//);
  });

  const missing = new KnownError({ code: 'secrets.keychain', message: 'There is no keychain.' });
  const withoutKeychain = (): Profiles => ({ ...profilesOf(), checkStorage: () => Promise.reject(missing) });

  it('warns before the first prompt that there is no keychain, and prompts for the location of each secret', async () => {
    const { ctx, asked } = answerPrompts({
      'Platform address': 'https://api.example/',
      'Token service address': 'https://auth.example/',
      'Identity intake address': 'https://intake.example',
      'Client id': 'me',
      'Where is the client secret': 'env',
      "Client secret: the variable's name": ' CDP_SECRET ',
      'Where is the workspace key': 'command',
      'Workspace key: the command': 'pass show key',
      'Where is the workspace secret': 'none',
    });
    const draft = draftOf();
    await askForMissing(ctx, withoutKeychain(), draft, ALL);
    expect(draft.typed).toEqual({});
    expect(draft.profile).toEqual({
      base_url: 'https://api.example',
      auth_url: 'https://auth.example',
      identity_url: 'https://intake.example',
      secrets: { client_id: 'me', client_secret: 'env:CDP_SECRET', workspace_key: 'command:pass show key' },
    });
    expect(asked[0]).toMatch(/^! There is no keychain\. .*--insecure-storage/);
    expect(asked.filter((question) => question.startsWith('!'))).toHaveLength(1);
  });

  it('accepts a variable that is not set, with a message', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    for (const [env, expected] of [
      [{}, ['CDP_SECRET is not set yet. It is read whenever the secret is needed.']],
      [{ CDP_SECRET: 'x' }, []],
    ] as const) {
      const { ctx, shown } = answerPrompts({
        'Where is the client secret': 'env',
        "Client secret: the variable's name": 'CDP_SECRET',
      });
      const draft = draftOf(given);
      await askForMissing({ ...ctx, io: { env } } as unknown as Context, withoutKeychain(), draft, REST);
      expect(draft.profile.secrets).toMatchObject({ client_secret: 'env:CDP_SECRET' });
      expect(shown.filter((text) => text.includes('CDP_SECRET'))).toEqual(expected);
    }
  });

  it('prompts for the location of the only missing secret, and skips it on Enter', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    const { ctx, asked } = answerPrompts({ 'Where is the client secret': 'env' });
    const draft = draftOf(given);
    await askForMissing(ctx, withoutKeychain(), draft, REST);
    expect(asked.at(-1)).toBe("Client secret: the variable's name (Enter to skip)");
    expect(draft.profile.secrets).toEqual({ client_id: 'me' });
  });

  it('rejects a secret as the name of a variable, and does not print it', async () => {
    const { ctx } = answerPrompts({
      'Client id': 'me',
      'Where is the client secret': 'env',
      "Client secret: the variable's name": 's3cret-value',
    });
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example' };
    const asking = askForMissing(ctx, withoutKeychain(), draftOf(given), REST);
    await expect(asking).rejects.toThrow(/^It must be the name of an environment variable, such as CDP_SECRET/);
  });

  it('does not check the keychain if no secret needs it, and reports other failures', async () => {
    const { ctx, asked } = answerPrompts({});
    await askForMissing(ctx, withoutKeychain(), draftOf({ dsr_base_url: 'https://dsr.example' }), REST);
    expect(asked.filter((question) => question.startsWith('!'))).toEqual([]);
    const other = new KnownError({ code: 'io', message: 'other' });
    const profiles = { ...profilesOf(), checkStorage: () => Promise.reject(other) };
    await expect(askForMissing(ctx, profiles, draftOf(), ALL)).rejects.toBe(other);
  });

  it('prompts for ids and credentials only after an address, and names the skipped commands', async () => {
    const { ctx, asked, shown } = answerPrompts({ 'Data subject request address': 'https://dsr.example' });
    await askForMissing(ctx, profilesOf(), draftOf(), ALL);
    expect(asked).toEqual([
      'Platform address (Enter to skip)',
      'Data subject request address (Enter to skip)',
      'Vendor domain of extension identities (needed for dsr; Enter to skip)',
      'Seeding address (Enter to skip)',
      'Identity intake address (Enter to skip)',
      'Workspace key (kept in the keychain; Enter to skip)',
      'Environment',
    ]);
    expect(shown).toContain(
      'The platform address is for roles, groups, warehouse, connections, data-models and pipelines.',
    );
    expect(shown).toContain('Skipped: seed and intake event will not work with this profile.');
    expect(shown).toContain("The workspace's key and secret are for dsr.");
  });

  it('names the commands that need the token service if it is skipped, and prompts for none of their fields', async () => {
    for (const [draft, how] of [
      [draftOf(), ALL],
      [draftOf({ base_url: 'https://api.example' }), REST],
    ] as const) {
      const { ctx, asked, shown } = answerPrompts({ 'Platform address': 'https://api.example' });
      await askForMissing(ctx, profilesOf(), draft, how);
      expect(shown).toContain(
        'Skipped: roles, groups, warehouse, connections, data-models and pipelines will not work with this profile.',
      );
      expect(asked.filter((question) => /^(Organization|Account|Client)/.test(question))).toEqual([]);
    }
  });

  it('prompts before it skips the token service, and then for its address once more', async () => {
    const leave = 'Skip roles, groups, warehouse, connections, data-models and pipelines?';
    const first = 'Token service address (needed for all of these)';
    const second = 'Token service address (needed for all of these; Enter to skip them)';
    const given = { base_url: 'https://api.example' };
    for (const [answers, questions] of [
      [{ Skip: 'y' }, [first, leave]],
      [{}, [first, leave, second]],
      [{ [second]: 'https://auth.example' }, [first, leave, second]],
    ] as const) {
      const { ctx, asked, shown } = answerPrompts(answers);
      const draft = draftOf(given);
      await askForMissing(ctx, profilesOf(), draft, REST);
      expect(asked.slice(0, questions.length)).toEqual(questions);
      const isGiven = second in answers;
      expect(draft.profile.auth_url).toBe(isGiven ? 'https://auth.example' : undefined);
      expect(asked.length > questions.length).toBe(isGiven);
      // In every case, the address or the client is missing.
      expect(shown.some((text) => text.startsWith('Skipped: roles'))).toBe(true);
    }
  });

  it('preselects a location for the secret, not skipping it', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    const { ctx } = answerPrompts({});
    const initials: unknown[] = [];
    const select = (_question: string, choices: readonly { value: string }[], options?: PromptOptions) => {
      initials.push([options?.initial, choices[0]?.value, choices.at(-1)?.value]);
      return Promise.resolve('none');
    };
    const prompt = { ...ctx.prompt, select } as Context['prompt'];
    await askForMissing({ ...ctx, prompt }, withoutKeychain(), draftOf(given), REST);
    expect(initials).toEqual([['env', 'env', 'none']]);
  });

  it('requires the last address if no other was given', async () => {
    const { ctx, asked } = answerPrompts({});
    await expect(askForMissing(ctx, profilesOf(), draftOf(), ALL)).rejects.toThrow(/at least one address.*the last/);
    expect(asked.at(-1)).toBe('Identity intake address (needed: no other address was given)');
  });

  it('prompts whether to keep an unreachable address, and for another one if not', async () => {
    const probe: AddressProbe = (address) =>
      Promise.resolve({
        status: address.includes('down') ? 'failed' : 'ok',
        detail: `${address}: nothing`,
        fix: 'Retry.',
      });
    const kept = answerPrompts({ 'Platform address': 'https://down.example', 'Keep it anyway?': 'y' });
    const draft = draftOf();
    await askForMissing(kept.ctx, profilesOf(), draft, { all: true, probe });
    expect(draft.profile.base_url).toBe('https://down.example');
    expect(kept.asked).toContain('! https://down.example: nothing. Retry.');

    const replies: Record<string, string> = { 'Platform address': 'https://down.example' };
    const again = answerPrompts(replies);
    const other = draftOf();
    const recover = (address: string): ReturnType<AddressProbe> => {
      replies['Platform address'] = 'https://up.example';
      return probe(address);
    };
    await askForMissing(again.ctx, profilesOf(), other, { all: true, probe: recover });
    expect(other.profile.base_url).toBe('https://up.example');
  });
});
