// The numbers in the specification's "Limits" chapter, each defined once.

export const ROLE_LIMITS = {
  roleId: 64,
  name: 64,
  description: 256,
  rolesPerOrganization: 100,
  requestsPerMinute: 100,
} as const;

/** Periods in days are multiples of 24 hours. */
export const DSR_LIMITS = {
  identities: 50,
  requestsPerGroup: 150,
  resultsDays: 7,
  waitingDays: 7,
  callbackMinutes: 15,
  /** Total time to complete an erasure, in days, with and without its waiting period. */
  completionDays: { waiting: { from: 7, to: 21 }, skipped: { from: 1, to: 14 } },
} as const;

export const GROUP_LIMITS = {
  idMin: 3,
  idMax: 32,
  description: 255,
  attributeId: 223,
  attributesPerGroup: 10,
  usersPerGroup: 10,
  definitionsPerWorkspace: 1,
} as const;

/** Areas that a profile may set a rate for (decision: D148). */
export const LIMITED_AREAS: readonly string[] = ['roles', 'groups', 'dsr', 'warehouse', 'seeding'];

/** Lifetime of a platform token, in seconds (specification, "Authentication"). */
export const TOKEN_LIFETIME_SECONDS = 28_800;
