// `dsr ledger export`: everything that went out from this machine, for an auditor.
import { Command } from 'commander';
import { deadlineFrom } from '../../lib/domain/dsr/deadlines.ts';
import { isAdvance } from '../../lib/domain/dsr/statuses.ts';
import { isoSeconds } from '../../lib/kernel/timestamps.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openLedgerOf } from '../../lib/runtime/memory/dsr.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import type { LedgerEntry } from '../../lib/workflows/dsr-ports.ts';
import { toldReading } from './told-reading.ts';

type ExportedRequest = LedgerEntry & { deadline: string | null };

const view: ListView<ExportedRequest> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'at', title: 'sent', value: (it) => it.at },
    { key: 'by', value: (it) => it.by },
    { key: 'profile', value: (it) => it.profile },
    { key: 'address', value: (it) => it.address, rank: 5 },
    { key: 'workspace_id', value: (it) => it.workspace_id, rank: 4 },
    { key: 'regulation', value: (it) => it.regulation },
    { key: 'subject_request_type', title: 'type', value: (it) => it.subject_request_type },
    { key: 'submitted_time', value: (it) => it.submitted_time, rank: 2 },
    { key: 'deadline', value: (it) => it.deadline },
    { key: 'status', value: (it) => it.status },
    { key: 'states', value: (it) => it.states.map(({ at, status }) => `${status} ${at}`).join('; '), rank: 6 },
    { key: 'group_id', value: (it) => it.group_id, rank: 3 },
    { key: 'skip_waiting_period', value: (it) => it.skip_waiting_period, rank: 8 },
    {
      key: 'identities',
      value: (it) =>
        Object.entries(it.identities ?? {})
          .map(([type, hash]) => `${type}=${hash}`)
          .join('; '),
      rank: 9,
    },
  ],
  empty: 'Nothing was submitted from this machine.',
};

export function ledgerCommand(ctx: Context): Command {
  const group = new Command('ledger').description('the record of what was submitted from this machine');
  const command = new Command('export')
    .description('write out every request with its states, for an auditor')
    .action(async () => {
      const ledger = await openLedgerOf(ctx, isAdvance);
      await ctx.out.emitParts(exported(toldReading(ctx, ledger.all())), view);
    });
  group.addCommand(
    withHelp(command, {
      calls: 'nobody',
      notes: [
        'The ledger holds all profiles of this machine. In place of identities it has keyed hashes: the same identity has the same hash here, and nobody can turn one back.',
        'In CSV a cell that a spreadsheet would run as a formula gets a leading apostrophe.',
      ],
      examples: ['cdpadm dsr ledger export -o csv --out ledger.csv', 'cdpadm dsr ledger export -o json'],
      json: '[{"id","at","by","profile","address","workspace_id","regulation","subject_request_type","submitted_time","skip_waiting_period","group_id","identities":{},"status","states":[{"status","at","source"}],"deadline"}]',
    }),
  );
  return group;
}

async function* exported(parts: AsyncIterable<LedgerEntry[]>): AsyncGenerator<ExportedRequest[]> {
  for await (const entries of parts) {
    yield entries.map((entry) => {
      const deadline = deadlineFrom(entry.regulation, entry.submitted_time);
      return { ...entry, deadline: deadline === undefined ? null : isoSeconds(deadline) };
    });
  }
}
