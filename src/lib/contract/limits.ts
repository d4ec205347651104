// The numbers of the specification's "Limits" chapter, each once.

/** A. Custom roles. */
export const ROLE_LIMITS = {
  roleId: 64,
  name: 64,
  description: 256,
  rolesPerOrganization: 100,
  requestsPerMinute: 100,
} as const;

/** Authentication: seconds a platform token lives. */
export const TOKEN_LIFETIME_SECONDS = 28_800;
