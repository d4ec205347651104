// `seed validate`: checks every row of the files against the specification. Sends nothing.
import * as z from 'zod/mini';
import { nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import { counted, grouped } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { readFlags } from '../bulk-flags.ts';
import { fail } from '../../lib/errors/fail.ts';

export const validateUsers = defineCommand({
  path: 'seed validate',
  summary: 'check user data files without sending anything',
  effect: 'local',
  tool: ['format', 'identityType'],
  calls: 'settings',
  args: { file: { many: true, optional: true, help: 'inputs as for `seed bulk`' } },
  flags: readFlags,
  output: () => z.object({ valid: z.literal(true), files: z.array(z.string()), rows: z.int() }),
  examples: ['cdpadm seed validate users.ndjson', 'cdpadm seed validate users.csv --cutoff-date 2026-01-01 -o json'],
  exits: { invalidInput: 'some rows are invalid; each is listed as file:line: field: reason' },
  run: async (ctx, { args: { file: files }, flags }) => {
    const { openInputs } = await import('./inputs.ts');
    const { validateSeeds } = await import('../../lib/workflows/seed-validate.ts');
    const opened = await openInputs(ctx, files, flags);
    const limits = { rows: 1000, bytes: 256_000 };
    const { rows, rejected, issues, omitted } = await validateSeeds(opened, limits, ctx.signal);
    opened.reportUnseen();
    if (rejected > 0) {
      throw fail('input.invalid', {
        message: `${grouped(rejected)} of ${counted(rows, 'row')} ${rejected === 1 ? 'is' : 'are'} invalid.`,
        hint: 'Nothing was sent. `seed bulk` would send the valid rows, and write the others to its rejects file.',
        issues,
        issuesOmitted: omitted,
        details: { rows, rejected },
      });
    }
    const data = { valid: true, files: opened.sources.map(({ name }) => name), rows };
    const text = `${nameOfInputs(opened.sources)}: ${counted(rows, 'row')}, all valid.`;
    await ctx.out.emit(data, { kind: 'document', text: () => text });
  },
});
