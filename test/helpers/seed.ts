// The seed of all random test data, the same for every run of one commit.

/** `vitest.config.ts` sets it for every worker; `SEED=n` overrides it. */
export const SEED = Number(process.env.SEED);
