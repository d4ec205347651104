// The seed of all random test data, the same for every run of one commit.

/** `vitest.config.ts` sets the seed for every worker; `SEED=n` overrides it. */
export const SEED = Number(process.env.SEED);
