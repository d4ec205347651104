// Every setting with its source: flag > environment > project file > profile > default. A pinned profile: flag > profile.

export type OriginKind = 'flag' | 'environment' | 'project' | 'profile' | 'default';

export interface Origin {
  kind: OriginKind;
  /** `--org`, `CDPADM_ORG_ID`, a file's path, a profile's name. */
  detail: string;
  /** Where a profile's secret is, as it is written there: `env:CDP_SECRET`. */
  reference?: string;
}

export interface Setting {
  value: string;
  origin: Origin;
}

/** Names as they stand in a profile. */
export type SettingName =
  | 'base_url'
  | 'auth_url'
  | 'dsr_base_url'
  | 'seeding_url'
  | 'identity_url'
  | 'audience'
  | 'org_id'
  | 'account_id'
  | 'workspace_id'
  | 'vendor_domain'
  | 'environment'
  | 'ca_file';

/** The secrets of a profile: references, but for the two ids, which may stand there themselves. */
export type ProfileSecretName = 'client_id' | 'client_secret' | 'workspace_key' | 'workspace_secret';

/** `access_token` comes from the environment only and is used as it is. */
export type SecretName = ProfileSecretName | 'access_token';

/** Where a secret that was typed or piped in is kept. */
export type SecretStorage = 'keychain' | 'file';

export interface Settings {
  /** The profile in use; undefined when everything comes from the environment. */
  readonly profile: Setting | undefined;
  /** `--profile` named the profile: only flags override it, and the environment gives only secrets that it lacks. */
  readonly pinned: boolean;
  /** The `CDPADM_*` variables that a pinned profile makes ineffective. */
  readonly ineffective: readonly string[];
  /** The keys of the project file that a pinned profile makes ineffective. */
  readonly ignoredKeys: readonly string[];
  readonly protected: boolean;
  /** `read`: every write is blocked. */
  readonly access: 'read' | 'write';
  /** Whether definition files may name commands; only the profile itself says so, never a project file. */
  readonly allowCommands: boolean;
  /** Folders whose files definition files may name; of the profile itself, too. */
  readonly allowFiles: readonly string[];
  /** Requests a second or minute that a profile sets for areas whose limit is unknown, such as `{dsr: '1000/m'}`. */
  readonly limits: Readonly<Record<string, string>>;
  /** Neutral word -> the deployment's word. */
  readonly names: Readonly<Record<string, string>>;
  /** Where protection, access, each limit and each name comes from: `protected`, `access`, `limits.AREA`, `names.WORD`. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** Every setting that has a value, in a fixed order. */
  all(): [SettingName, Setting][];
  get(name: SettingName): Setting | undefined;
  /** The value, or KnownError usage (2) that says which flag, variable and profile field would give it. */
  need(name: SettingName): string;
  /** An integer such as the organization id, checked. */
  needInteger(name: 'org_id' | 'account_id' | 'workspace_id'): bigint;
  /** Where each secret comes from, never its value. */
  secretOrigin(name: SecretName): Origin | undefined;
  /**
   * The secret itself, resolved now and known to the redactor. KnownError auth (4) when there is none, when it cannot be
   * had, or when it would go to an address that is not its own (see `address-rule.ts`).
   */
  secret(name: SecretName): Promise<string>;
  /** Throws as `secret` does where there is none, or where it may not go; runs and reads nothing. */
  allowSecret(name: SecretName): void;
}
