// `seed preview`: shows a file's row as the body that would be sent, or why it would not be sent.
import { SingleSeed } from '../../lib/contract/seeding.ts';
import { parseJson } from '../../lib/kernel/json.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import { readFlags } from '../bulk-flags.ts';
import { fail } from '../../lib/errors/fail.ts';

const COUNTING = 'Rows are counted from 1, not including the header. To count them:';

const view: DocumentView<unknown> = { kind: 'document', text: (body) => jsonText(body, 2) };

export const previewUser = defineCommand({
  path: 'seed preview',
  summary: 'show one row as it would be sent',
  effect: 'local',
  tool: ['format', 'identityType', 'row'],
  calls: 'settings',
  args: { file: { help: 'input as for `seed bulk`' } },
  flags: {
    ...readFlags,
    row: {
      value: 'n',
      most: 999_999_999,
      default: '1',
      help: 'row number, counting from 1 without headers and empty lines',
    },
  },
  columns: () => undefined,
  output: () => SingleSeed,
  examples: ['cdpadm seed preview users.csv --cutoff-date 2026-01-01', 'cdpadm seed preview users.ndjson --row 12'],
  exits: { notFound: 'the row does not exist', invalidInput: 'the row is invalid' },
  run: async (ctx, { args: { file }, flags }) => {
    const { openInputs } = await import('./inputs.ts');
    const { findRow, rowIssues } = await import('../../lib/workflows/seed-validate.ts');
    const found = await findRow(await openInputs(ctx, [file], flags), flags.row, ctx.signal);
    if (found === undefined)
      throw fail('seed.no_row', {
        message: `${file} has no row ${flags.row}.`,
        hint: { text: COUNTING, command: `cdpadm seed validate ${shellWord(file)}` },
      });
    if ('rejected' in found) throw invalidInput(`Row ${flags.row} would not be sent.`, rowIssues(file, found.rejected));
    await ctx.out.emit(parseJson(found.body), view);
  },
});
