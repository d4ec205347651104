// The program's four folders, kept apart by what losing them would mean.

export interface SettingsPaths {
  /** Profiles and where their secrets are. */
  config: string;
  /** History, journals, ledger, locks, the rate budget. */
  state: string;
  /** Tokens and fetched certificates: may be thrown away at any time. */
  cache: string;
  /** The embedded platform's database. */
  data: string;
}
