// The seed of everything that tests draw at random: the same for every run of one commit.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };

/** From the commit, or from the version of the package where there is no repository. */
export function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  if (/^[0-9a-f]{8}\s*$/.test(stdout)) return Number.parseInt(stdout, 16);
  return createHash('sha256').update(packageJson.version).digest().readUInt32BE();
}

/** The seed of this run. `vitest.config.ts` sets it for every worker, and `SEED=n` overrides it. */
export const SEED = Number(process.env.SEED);
