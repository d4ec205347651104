// `version`: prints the version and, with --verbose, the commit and its date.
import * as z from 'zod/mini';
import { host } from '../../lib/kernel/host.ts';
import { SOURCE, VERSION } from '../../lib/kernel/version.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

export const command = defineCommand({
  path: 'version',
  summary: 'print the version; with --verbose, also the commit, its date and the Node version',
  effect: 'local',
  calls: 'none',
  output: () =>
    z.object({
      version: z.string(),
      commit: z.optional(z.string()),
      date: z.optional(z.string()),
      node: z.optional(z.string()),
    }),
  notes: [
    '`cdpadm --version` prints the same. The date is the commit date, not the build date, so two builds of the same commit are identical.',
  ],
  examples: ['cdpadm version', 'cdpadm version --verbose -o json'],
  run: async (ctx) => ({ version: VERSION, ...(ctx.flags.verbose && { ...SOURCE, node: host.nodeVersion }) }),
  view: {
    kind: 'document',
    text: ({ commit, date, node, version }) =>
      commit === undefined ? version : `cdpadm ${version}\ncommit ${commit}\ncommit date ${date}\nnode ${node}`,
  },
});
