// The seed of everything that tests draw at random: the same for every run of one commit.

/** `vitest.config.ts` sets it for every worker; `SEED=n` overrides it. */
export const SEED = Number(process.env.SEED);
