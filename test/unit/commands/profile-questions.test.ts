// `profile create` on a terminal: its questions and the profile they result in.
import { describe, expect, it } from 'vitest';
import type { Draft, Profiles } from '../../../src/commands/profile/fields.ts';
import { askForMissing, type AddressProbe } from '../../../src/commands/profile/questions.ts';
import { KnownError } from '../../../src/lib/kernel/errors.ts';
import type { Context, PromptOptions } from '../../../src/lib/runtime/context.ts';
import { openProfiles } from '../../../src/lib/config/profiles.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { memoryKeychain, secretsOptions } from '../lib/config/folders.ts';

/** Answers questions by how they begin; everything else is skipped with Enter. */
function answering(answers: Record<string, string>) {
  const asked: string[] = [];
  const reply = (question: string, options: PromptOptions = {}): Promise<string> => {
    asked.push(question);
    const key = Object.keys(answers).find((beginning) => question.startsWith(beginning));
    const text = key === undefined ? '' : (answers[key] ?? '');
    const wrong = options.check?.(text);
    return wrong === undefined ? Promise.resolve(text) : Promise.reject(new Error(wrong));
  };
  const ask = (question: string) => reply(question).then((answer) => answer === 'y');
  const select = (question: string) => reply(question).then((answer) => answer || 'none');
  const said: string[] = [];
  const out = {
    warn: (text: string) => asked.push(`! ${text}`),
    show: (text: (style: unknown, width: number) => string) => said.push(text(undefined, 200).trim()),
  };
  const ctx = {
    io: { env: {} },
    prompt: { possible: true, input: reply, secret: reply, select, ask },
    out,
  } as unknown as Context;
  return { ctx, asked, said };
}

function profilesOf(keychain = memoryKeychain()): Profiles {
  return openProfiles(secretsOptions(temporaryFolder(), { keychain: () => Promise.resolve(keychain) }));
}

function draftOf(profile: Draft['profile'] = {}, typed: Draft['typed'] = {}): Draft {
  return { profile, typed, storage: 'keychain', use: false };
}

const answers: AddressProbe = () => Promise.resolve({ status: 'ok', detail: '' });
const ALL = { all: true, probe: answers };
const REST = { all: false, probe: answers };

describe('askForMissing', () => {
  it('asks for everything when nothing was given', async () => {
    const { ctx, asked } = answering({
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

  it('asks only for the essential rest when something was given', async () => {
    const { ctx, asked } = answering({ Account: '2' });
    const secrets = { client_id: 'me', client_secret: 'env:X' };
    const draft = draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example', org_id: '1', secrets });
    await askForMissing(ctx, profilesOf(), draft, REST);
    expect(asked).toEqual(['Account id (needed for roles; Enter to skip)']);
    expect(draft.profile.account_id).toBe('2');
  });

  it('asks for no secret without an id it belongs to, and for none that was piped in', async () => {
    const without = answering({});
    await askForMissing(
      without.ctx,
      profilesOf(),
      draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example' }),
      REST,
    );
    expect(without.asked.filter((question) => question.includes('secret'))).toEqual([]);
    const piped = answering({ 'Client id': 'me' });
    await askForMissing(
      piped.ctx,
      profilesOf(),
      draftOf({ base_url: 'https://a.example', auth_url: 'https://b.example' }, { client_secret: 's' }),
      REST,
    );
    expect(piped.asked.filter((question) => question.includes('secret'))).toEqual([]);
  });

  it('reports the problem of an answer immediately', async () => {
    const { ctx } = answering({ 'Platform address': 'http://api.example' });
    await expect(askForMissing(ctx, profilesOf(), draftOf(), ALL)).rejects.toThrow(/https:\/\//);
  });

  const missing = new KnownError({ code: 'secrets.keychain', message: 'There is no keychain.' });
  const withoutKeychain = (): Profiles => ({ ...profilesOf(), checkStorage: () => Promise.reject(missing) });

  it('says before the first question that there is no keychain, and asks where each secret is', async () => {
    const { ctx, asked } = answering({
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

  it('says so of a variable that is not set, and takes it', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    for (const [env, told] of [
      [{}, ['CDP_SECRET is not set yet. It is read whenever the secret is needed.']],
      [{ CDP_SECRET: 'x' }, []],
    ] as const) {
      const { ctx, said } = answering({
        'Where is the client secret': 'env',
        "Client secret: the variable's name": 'CDP_SECRET',
      });
      const draft = draftOf(given);
      await askForMissing({ ...ctx, io: { env } } as unknown as Context, withoutKeychain(), draft, REST);
      expect(draft.profile.secrets).toMatchObject({ client_secret: 'env:CDP_SECRET' });
      expect(said.filter((text) => text.includes('CDP_SECRET'))).toEqual(told);
    }
  });

  it('asks for the place of the one secret that is missing, and takes Enter for none', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    const { ctx, asked } = answering({ 'Where is the client secret': 'env' });
    const draft = draftOf(given);
    await askForMissing(ctx, withoutKeychain(), draft, REST);
    expect(asked.at(-1)).toBe("Client secret: the variable's name (Enter to skip)");
    expect(draft.profile.secrets).toEqual({ client_id: 'me' });
  });

  it('takes no secret for the name of a variable, and does not repeat it', async () => {
    const { ctx } = answering({
      'Client id': 'me',
      'Where is the client secret': 'env',
      "Client secret: the variable's name": 's3cret-value',
    });
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example' };
    const asking = askForMissing(ctx, withoutKeychain(), draftOf(given), REST);
    await expect(asking).rejects.toThrow(/^It must be the name of an environment variable, such as CDP_SECRET/);
  });

  it('needs no keychain for a profile whose secrets are elsewhere, and hides no other failure', async () => {
    const { ctx, asked } = answering({});
    await askForMissing(ctx, withoutKeychain(), draftOf({ dsr_base_url: 'https://dsr.example' }), REST);
    expect(asked.filter((question) => question.startsWith('!'))).toEqual([]);
    const other = new KnownError({ code: 'io', message: 'other' });
    const profiles = { ...profilesOf(), checkStorage: () => Promise.reject(other) };
    await expect(askForMissing(ctx, profiles, draftOf(), ALL)).rejects.toBe(other);
  });

  it('asks for ids and credentials only after an address, and names the skipped commands', async () => {
    const { ctx, asked, said } = answering({ 'Data subject request address': 'https://dsr.example' });
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
    expect(said).toContain(
      'The platform address is for roles, groups, warehouse, connections, data-models and pipelines.',
    );
    expect(said).toContain('Skipped: seed and intake event will not work with this profile.');
    expect(said).toContain("The workspace's key and secret are for dsr.");
  });

  it('names the commands skipped without the token service, and asks nothing more for them', async () => {
    for (const [draft, how] of [
      [draftOf(), ALL],
      [draftOf({ base_url: 'https://api.example' }), REST],
    ] as const) {
      const { ctx, asked, said } = answering({ 'Platform address': 'https://api.example' });
      await askForMissing(ctx, profilesOf(), draft, how);
      expect(said).toContain(
        'Skipped: roles, groups, warehouse, connections, data-models and pipelines will not work with this profile.',
      );
      expect(asked.filter((question) => /^(Organization|Account|Client)/.test(question))).toEqual([]);
    }
  });

  it('asks before Enter at the token service leaves out its commands, and then for the address once more', async () => {
    const leave = 'Skip roles, groups, warehouse, connections, data-models and pipelines?';
    const first = 'Token service address (needed for all of these)';
    const second = 'Token service address (needed for all of these; Enter to skip them)';
    const given = { base_url: 'https://api.example' };
    for (const [answers, questions] of [
      [{ Skip: 'y' }, [first, leave]],
      [{}, [first, leave, second]],
      [{ [second]: 'https://auth.example' }, [first, leave, second]],
    ] as const) {
      const { ctx, asked, said } = answering(answers);
      const draft = draftOf(given);
      await askForMissing(ctx, profilesOf(), draft, REST);
      expect(asked.slice(0, questions.length)).toEqual(questions);
      const isGiven = second in answers;
      expect(draft.profile.auth_url).toBe(isGiven ? 'https://auth.example' : undefined);
      expect(asked.length > questions.length).toBe(isGiven);
      // Without the address, or then without a client.
      expect(said.some((text) => text.startsWith('Skipped: roles'))).toBe(true);
    }
  });

  it('preselects a place for the secret, never leaving it out', async () => {
    const given = { base_url: 'https://a.example', auth_url: 'https://b.example', secrets: { client_id: 'me' } };
    const { ctx } = answering({});
    const initials: unknown[] = [];
    const select = (_question: string, choices: readonly { value: string }[], options?: PromptOptions) => {
      initials.push([options?.initial, choices[0]?.value, choices.at(-1)?.value]);
      return Promise.resolve('none');
    };
    const prompt = { ...ctx.prompt, select } as Context['prompt'];
    await askForMissing({ ...ctx, prompt }, withoutKeychain(), draftOf(given), REST);
    expect(initials).toEqual([['env', 'env', 'none']]);
  });

  it('does not let the last address be left out where there is no other', async () => {
    const { ctx, asked } = answering({});
    await expect(askForMissing(ctx, profilesOf(), draftOf(), ALL)).rejects.toThrow(/at least one address.*the last/);
    expect(asked.at(-1)).toBe('Identity intake address (needed: no other address was given)');
  });

  it('asks whether an address that does not answer is to be kept, and for another where it is not', async () => {
    const probe: AddressProbe = (address) =>
      Promise.resolve({
        status: address.includes('down') ? 'failed' : 'ok',
        detail: `${address}: nothing`,
        fix: 'Mend.',
      });
    const kept = answering({ 'Platform address': 'https://down.example', 'Keep it anyway?': 'y' });
    const draft = draftOf();
    await askForMissing(kept.ctx, profilesOf(), draft, { all: true, probe });
    expect(draft.profile.base_url).toBe('https://down.example');
    expect(kept.asked).toContain('! https://down.example: nothing. Mend.');

    const replies: Record<string, string> = { 'Platform address': 'https://down.example' };
    const again = answering(replies);
    const other = draftOf();
    const turned = (address: string): ReturnType<AddressProbe> => {
      replies['Platform address'] = 'https://up.example';
      return probe(address);
    };
    await askForMissing(again.ctx, profilesOf(), other, { all: true, probe: turned });
    expect(other.profile.base_url).toBe('https://up.example');
  });
});
