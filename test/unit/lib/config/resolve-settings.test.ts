// Precedence of the layers, with and without a pinned profile, and the addresses that each secret may be sent to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveSettings, type SettingsLayers } from '../../../../src/lib/config/resolve-settings.ts';
import { checkSetting, SETTING_NAMES, variableOf } from '../../../../src/lib/config/setting-fields.ts';
import type { Origin, ProfileSecretName, SettingName } from '../../../../src/lib/config/setting-fields.ts';
import { runs } from '../../../helpers/size.ts';

type Profile = NonNullable<SettingsLayers['profile']>['stored'];

function layers(
  more: Partial<Omit<SettingsLayers, 'profile' | 'project'>> & {
    stored?: Profile;
    shared?: object;
    pinned?: boolean;
  } = {},
): SettingsLayers {
  const { stored, shared, pinned = false, ...rest } = more;
  const origin: Origin = pinned
    ? { kind: 'flag', detail: '--profile' }
    : { kind: 'environment', detail: 'CDPADM_PROFILE' };
  return {
    flags: {},
    env: {},
    cwd: '/work',
    project: shared && { file: '/repo/.cdpadm.yaml', profile: undefined, settings: shared },
    profile: stored && { setting: { value: 'prod', origin }, stored },
    secret: (written) => Promise.resolve(`<${written}>`),
    hide: () => undefined,
    ...rest,
  };
}

describe('resolveSettings', () => {
  it.each([
    [
      'takes the value of the flag, whatever else is set',
      { flags: { org_id: '1' }, env: { CDPADM_ORG_ID: '2' }, shared: { org_id: '3' }, stored: { org_id: '4' } },
      '1',
      'flag',
      '--org',
    ],
    [
      'takes the value of the environment variable without a flag',
      { env: { CDPADM_ORG_ID: '2' }, shared: { org_id: '3' }, stored: { org_id: '4' } },
      '2',
      'environment',
      'CDPADM_ORG_ID',
    ],
    [
      'takes the value in the project file if the variable is empty',
      { env: { CDPADM_ORG_ID: '' }, shared: { org_id: '3' }, stored: { org_id: '4' } },
      '3',
      'project',
      '/repo/.cdpadm.yaml',
    ],
    ['takes the value in the profile if nothing else is set', { stored: { org_id: '4' } }, '4', 'profile', 'prod'],
  ])('%s', (_what, given, value, kind, detail) => {
    expect(resolveSettings(layers(given)).get('org_id')).toEqual({ value, origin: { kind, detail } });
  });

  function valueOf(name: SettingName, index: number): string {
    if (name === 'environment') return index % 2 === 0 ? 'development' : 'production';
    if (name === 'vendor_domain') return `v${index}.example`;
    if (name === 'ca_file') return `/ca${index}.pem`;
    return name.endsWith('_id') ? String(index) : `https://h${index}.example`;
  }

  it('applies the same precedence to every setting, for any combination of sources', () => {
    const present = fc.record({
      flag: fc.boolean(),
      env: fc.boolean(),
      project: fc.boolean(),
      profile: fc.boolean(),
      pinned: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...SETTING_NAMES), present, (name, has) => {
        const value = (index: number) => valueOf(name, index);
        const settings = resolveSettings(
          layers({
            pinned: has.pinned,
            flags: has.flag ? { [name]: value(1) } : {},
            env: has.env ? { [variableOf(name)]: value(2) } : {},
            shared: has.project ? { [name]: value(3) } : {},
            stored: has.profile ? { [name]: value(4) } : {},
          }),
        );
        const expected = has.flag
          ? { value: value(1), kind: 'flag' }
          : has.env && !has.pinned
            ? { value: value(2), kind: 'environment' }
            : has.project && !has.pinned
              ? { value: value(3), kind: 'project' }
              : has.profile
                ? { value: value(4), kind: 'profile' }
                : undefined;
        const found = settings.get(name);
        expect(found && { value: found.value, kind: found.origin.kind }).toEqual(expected);
        const isUnused = has.pinned && has.env && found?.value !== value(2);
        expect(settings.ineffective).toEqual(isUnused ? [variableOf(name)] : []);
      }),
      runs(500),
    );
  });

  it('prefers a secret from the environment, unless a pinned profile defines that secret', async () => {
    const pairs = ['client_id', 'client_secret', 'workspace_key', 'workspace_secret'] as const;
    const some = fc.subarray([...pairs]);
    await fc.assert(
      fc.asyncProperty(some, some, fc.boolean(), fc.boolean(), async (own, given, pinned, hasToken) => {
        const settings = resolveSettings(
          layers({
            pinned,
            stored: {
              base_url: 'https://own.example',
              secrets: Object.fromEntries(own.map((name) => [name, 'env:A'])),
            },
            env: Object.fromEntries([
              ...given.map((name) => [variableOf(name), `given ${name}`]),
              ...(hasToken ? [['CDPADM_ACCESS_TOKEN', 'token']] : []),
            ]) as Record<string, string>,
          }),
        );
        const sourceOf = (name: ProfileSecretName): string | undefined => {
          const [first, second] = pinned ? [own, given] : [given, own];
          const found = [first, second].find((list) => list.includes(name));
          return found && (found === own ? 'profile' : 'environment');
        };
        for (const name of pairs) expect(settings.secretOrigin(name)?.kind).toBe(sourceOf(name));
        expect(settings.secretOrigin('access_token') !== undefined).toBe(hasToken && !pinned);
        const unused = given.filter((name) => own.includes(name)).map(variableOf);
        expect([...settings.ineffective].sort()).toEqual(
          pinned ? [...unused, ...(hasToken ? ['CDPADM_ACCESS_TOKEN'] : [])].sort() : [],
        );
      }),
    );
  });

  it('does not list a variable as ineffective if its value is already in use', () => {
    const stored = { base_url: 'https://own.example', org_id: '1' };
    const env = { CDPADM_BASE_URL: 'https://own.example/', CDPADM_ORG_ID: '2', CDPADM_ENVIRONMENT: 'nonsense' };
    expect(resolveSettings(layers({ pinned: true, stored, env })).ineffective).toEqual([
      'CDPADM_ORG_ID',
      'CDPADM_ENVIRONMENT',
    ]);
  });

  it('ignores everything in a project file except the guards if the profile is pinned', () => {
    const shared = { protected: true, access: 'read', limits: { dsr: '1/m' }, org_id: '3' };
    const settings = resolveSettings(layers({ pinned: true, stored: { limits: { seeding: '2/m' } }, shared }));
    expect([settings.protected, settings.access, settings.get('org_id')]).toEqual([true, 'read', undefined]);
    expect(settings.limits).toEqual({ seeding: '2/m' });
    expect(Object.keys(settings.origins).sort()).toEqual(['access', 'limits.seeding', 'protected']);
  });

  it("keeps a profile's `protected` and `access: read` even if its address is overridden", () => {
    const stored = { base_url: 'https://own.example', protected: true, access: 'read' } as const;
    const env = { CDPADM_BASE_URL: 'https://other.example' };
    const { access, protected: isProtected } = resolveSettings(layers({ stored, env }));
    expect([isProtected, access]).toEqual([true, 'read']);
  });

  it('uses the platform address as the audience by default', () => {
    const base_url = 'https://a.example';
    expect(resolveSettings(layers({ stored: { base_url } })).get('audience')).toEqual({
      value: base_url,
      origin: { kind: 'default', detail: 'base_url' },
    });
    expect(resolveSettings(layers({ stored: { base_url, audience: 'urn:x' } })).need('audience')).toBe('urn:x');
    expect(resolveSettings(layers()).get('audience')).toBeUndefined();
  });

  it('lets a project file set `protected`, but never clear it', () => {
    expect(resolveSettings(layers({ stored: {}, shared: { protected: true } })).protected).toBe(true);
    expect(resolveSettings(layers({ stored: { protected: true }, shared: { protected: false } })).protected).toBe(true);
    expect(resolveSettings(layers({ stored: {} })).protected).toBe(false);
  });

  it('resolves a relative file against the working directory', () => {
    const files = [{ flags: { ca_file: 'ca.pem' } }, { env: { CDPADM_CA_FILE: 'ca.pem' } }];
    expect(files.map((given) => resolveSettings(layers(given)).need('ca_file'))).toEqual([
      '/work/ca.pem',
      '/work/ca.pem',
    ]);
  });

  it('resolves settings from environment variables alone', async () => {
    const env = {
      CDPADM_BASE_URL: 'https://a.example/',
      CDPADM_AUTH_URL: 'https://b.example',
      CDPADM_ORG_ID: '9223372036854775807',
      CDPADM_CLIENT_ID: 'id',
      // A Kubernetes secret or a CI variable may end in a line break.
      CDPADM_CLIENT_SECRET: 's3cret\n',
    };
    const hidden: string[] = [];
    const settings = resolveSettings(layers({ env, hide: (secret) => hidden.push(secret) }));
    expect(settings.profile).toBeUndefined();
    expect(settings.need('base_url')).toBe('https://a.example');
    expect(settings.needInteger('org_id')).toBe(9223372036854775807n);
    expect(await Promise.all([settings.secret('client_id'), settings.secret('client_secret')])).toEqual([
      'id',
      's3cret',
    ]);
    expect(hidden).toEqual(['s3cret']);
  });

  it.each([
    [{ env: { CDPADM_BASE_URL: 'https://u:s3cret@a.example' } }, /CDPADM_BASE_URL must not contain/],
    [{ env: { CDPADM_BASE_URL: 'http://a.example' } }, /CDPADM_BASE_URL must start with https/],
    [{ env: { CDPADM_ENVIRONMENT: 'prod' } }, /CDPADM_ENVIRONMENT must be/],
    [{ flags: { org_id: '-3' } }, /--org must be a number/],
  ])('rejects %j as a usage error, without printing the value', (given, message) => {
    expect(() => resolveSettings(layers(given))).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) as unknown }),
    );
    expect(() => resolveSettings(layers(given))).not.toThrow(/s3cret/);
  });

  it('suggests every way to set a missing value', () => {
    const failure = {
      code: 'usage',
      hint: 'To continue, pass --org VALUE, set CDPADM_ORG_ID, or store it in the profile: cdpadm profile edit prod --set org_id=VALUE',
    };
    expect(() => resolveSettings(layers({ stored: {} })).need('org_id')).toThrow(expect.objectContaining(failure));
  });
});

describe('the address check', () => {
  it.each([
    ['https://a.example/', 'https://a.example'],
    [' HTTPS://A.example:443/v3/ ', 'https://a.example/v3'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ])('reads %j as %s', (text, value) => {
    expect(checkSetting('base_url', text)).toEqual({ value });
  });

  it.each([
    ['', 'must be a full address such as https://api.example.com'],
    ['https://u@a.example', 'must not contain a user name or password'],
    ['https://a.example?x=1', 'must not contain a query or a fragment'],
    ['http://a.example', 'must start with https:// (http:// is allowed only for this machine)'],
    ['ftp://a', 'must start with https://'],
  ])('rejects %j: %s', (text, problem) => {
    expect(checkSetting('base_url', text)).toEqual({ problem });
  });
});

describe('secrets', () => {
  const own = {
    base_url: 'https://own.example',
    auth_url: 'https://token.example',
    dsr_base_url: 'https://dsr.example/v3',
  };
  const secrets = { client_id: 'id', client_secret: 'env:A', workspace_key: 'env:C', workspace_secret: 'env:B' };
  const stored = { ...own, secrets };

  it("are sent to their profile's addresses, even if another source sets the same addresses", async () => {
    const env = { CDPADM_BASE_URL: 'https://own.example/' };
    expect(await resolveSettings(layers({ stored, env })).secret('client_secret')).toBe('<env:A>');
  });

  it.each([
    [{ env: { CDPADM_BASE_URL: 'https://evil.example' } }, 'Unset CDPADM_BASE_URL, '],
    [
      { shared: { base_url: 'https://evil.example' } },
      'Remove `base_url` from /repo/.cdpadm.yaml, or use a profile that has that address\\.$',
    ],
  ])(
    'are not sent to an address from another source, and the error explains how to remove the address: %j',
    (given, beginning) => {
      const settings = resolveSettings(layers({ stored, ...given }));
      const hint = expect.stringMatching(new RegExp(`^${beginning}`)) as unknown;
      expect(() => settings.allowSecret('client_secret')).toThrow(
        expect.objectContaining({ code: 'auth.foreign_address', hint }),
      );
    },
  );

  it('are resolved only once, even if they are read twice', async () => {
    let count = 0;
    const secret = () => Promise.resolve(`${++count}`);
    const settings = resolveSettings(layers({ stored, secret }));
    expect([await settings.secret('client_secret'), await settings.secret('client_secret')]).toEqual(['1', '1']);
  });

  it.each([
    ['client_secret', { env: { CDPADM_BASE_URL: 'https://evil.example' } }],
    ['client_id', { env: { CDPADM_AUTH_URL: 'https://evil.example' } }],
    ['client_secret', { shared: { auth_url: 'https://evil.example' } }],
    ['client_secret', { flags: { base_url: 'https://evil.example' } }],
    ['workspace_secret', { env: { CDPADM_DSR_BASE_URL: 'https://evil.example' } }],
    ['workspace_key', { shared: { seeding_url: 'https://evil.example' } }],
    ['workspace_secret', { env: { CDPADM_IDENTITY_URL: 'https://evil.example' } }],
  ] as const)(
    'are not resolved for an address that does not come from their profile: %s with %j',
    async (name, given) => {
      let isResolved = false;
      const secret = () => {
        isResolved = true;
        return Promise.resolve('s3cret');
      };
      const failure = {
        code: 'auth.foreign_address',
        message: expect.stringContaining('https://evil.example') as unknown,
      };
      await expect(resolveSettings(layers({ stored, secret, ...given })).secret(name)).rejects.toMatchObject(failure);
      expect(isResolved).toBe(false);
    },
  );

  it.each([
    ['client_secret', { CDPADM_BASE_URL: 'https://other.example', CDPADM_CLIENT_SECRET: 's' }, {}, true],
    ['access_token', { CDPADM_BASE_URL: 'https://other.example', CDPADM_ACCESS_TOKEN: 's' }, {}, true],
    ['access_token', { CDPADM_ACCESS_TOKEN: 's' }, {}, true],
    ['client_secret', { CDPADM_CLIENT_SECRET: 's' }, { base_url: 'https://own.example' }, true],
    ['client_secret', { CDPADM_CLIENT_SECRET: 's' }, { base_url: 'https://evil.example' }, false],
    ['access_token', { CDPADM_ACCESS_TOKEN: 's' }, { base_url: 'https://evil.example' }, false],
    [
      'access_token',
      { CDPADM_ACCESS_TOKEN: 's', CDPADM_BASE_URL: 'https://a.example' },
      { base_url: 'https://evil.example' },
      true,
    ],
  ] as const)(
    'from the environment are not sent to an address that only a project file sets: %s with %j and the file %j',
    async (name, env, shared, sent) => {
      const secret = resolveSettings(layers({ stored: own, env, shared })).secret(name);
      if (sent) expect(await secret).toBe('s');
      else await expect(secret).rejects.toMatchObject({ code: 'auth.foreign_address' });
    },
  );

  it('are listed with an origin that does not reveal them', () => {
    const settings = resolveSettings(layers({ stored, env: { CDPADM_WORKSPACE_SECRET: 's' } }));
    expect(settings.secretOrigin('client_secret')).toEqual({
      kind: 'profile',
      detail: 'prod (env:A)',
      reference: 'env:A',
    });
    expect(settings.secretOrigin('client_id')).toEqual({ kind: 'profile', detail: 'prod' });
    expect(settings.secretOrigin('workspace_secret')).toEqual({
      kind: 'environment',
      detail: 'CDPADM_WORKSPACE_SECRET',
    });
    expect(settings.secretOrigin('access_token')).toBeUndefined();
  });

  it('are reported with the name of their variable if they are missing', async () => {
    const failure = {
      code: 'auth.no_credentials',
      message: expect.stringContaining('CDPADM_CLIENT_SECRET') as unknown,
    };
    await expect(resolveSettings(layers()).secret('client_secret')).rejects.toMatchObject(failure);
  });

  it('are read from the embedded platform together with its addresses', async () => {
    const profile = {
      setting: { value: 'local', origin: { kind: 'flag', detail: '--profile' } },
      stored: {},
      local: { base_url: 'http://127.0.0.1:4010', client_secret: 's' },
    } as const;
    const settings = resolveSettings({ ...layers(), profile });
    expect(settings.need('base_url')).toBe('http://127.0.0.1:4010');
    expect(await settings.secret('client_secret')).toBe('s');
  });
});
