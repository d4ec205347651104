// `dsr ledger export`: all requests of this machine, for an auditor.
import {
  array,
  boolean,
  enum as oneOf,
  type infer as Infer,
  int,
  nullable,
  object,
  optional,
  record,
  string,
} from 'zod/mini';
import { CHECK_NAMES } from '../../lib/domain/callbacks/verify.ts';
import { answeredAt, deadlineOfRequest, type LedgerRequest } from '../../lib/domain/dsr/ledger.ts';
import type { ListView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openLedgerOf, withReadingProgress } from './session.ts';

/** Absent in lines of earlier versions. */
function actorFields() {
  return { by: optional(string()), host: optional(string()) };
}

/** A request in the ledger. Some are known only by a callback. */
function exportedRequest() {
  return object({
    id: string(),
    at: optional(string()),
    ...actorFields(),
    profile: optional(nullable(string())),
    address: optional(string()),
    workspace_id: optional(string()),
    regulation: optional(string()),
    subject_request_type: optional(string()),
    submitted_time: optional(string()),
    skip_waiting_period: optional(boolean()),
    group_id: optional(nullable(string())),
    identities: optional(record(string(), string())),
    compared: optional(record(string(), string())),
    status: optional(string()),
    expected_completion_time: optional(nullable(string())),
    received_time: optional(nullable(string())),
    /** Each status that was news, with its reader. */
    states: array(object({ status: string(), at: string(), source: string(), ...actorFields() })),
    /** Each signed message with a verdict. */
    signatures: optional(
      array(
        object({
          valid: boolean(),
          certificate: nullable(string()),
          body_sha256: string(),
          failed: optional(oneOf(CHECK_NAMES)),
          status: string(),
          at: string(),
          source: string(),
          ...actorFields(),
        }),
      ),
    ),
    downloads: optional(
      array(object({ at: string(), sha256: string(), bytes: int(), content_type: string(), ...actorFields() })),
    ),
    marks: optional(
      array(
        object({
          at: string(),
          answered: optional(boolean()),
          extended: optional(string()),
          reason: optional(string()),
          ...actorFields(),
        }),
      ),
    ),
    deadline: nullable(string()),
    /** The time of the answer to the subject, if this machine knows it. */
    answered_at: nullable(string()),
  });
}

type ExportedRequest = Infer<ReturnType<typeof exportedRequest>>;

const view: ListView<ExportedRequest> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'at', title: 'sent', value: (it) => it.at },
    { key: 'by', value: (it) => it.by },
    { key: 'host', value: (it) => it.host, rank: 7 },
    { key: 'profile', value: (it) => it.profile },
    { key: 'address', value: (it) => it.address, rank: 5 },
    { key: 'workspace_id', value: (it) => it.workspace_id, rank: 4 },
    { key: 'regulation', value: (it) => it.regulation },
    { key: 'subject_request_type', title: 'type', value: (it) => it.subject_request_type },
    { key: 'submitted_time', value: (it) => it.submitted_time, rank: 2 },
    { key: 'deadline', value: (it) => it.deadline },
    { key: 'status', value: (it) => it.status },
    { key: 'answered_at', value: (it) => it.answered_at, rank: 1 },
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

export const exportLedger = defineCommand({
  path: 'dsr ledger export',
  summary: 'export every request with its history',
  effect: 'local',
  calls: 'nobody',
  columns: view.columns,
  output: () => array(exportedRequest()),
  notes: [
    'The ledger covers all profiles on this machine. Keyed hashes replace identities: the same identity has the same hash on this machine, and a hash cannot be reversed without the key.',
    'In CSV, a cell that a spreadsheet would run as a formula gets a leading apostrophe.',
  ],
  examples: ['cdpadm dsr ledger export -o csv --out ledger.csv', 'cdpadm dsr ledger export -o json'],
  run: async (ctx) => {
    const ledger = await openLedgerOf(ctx);
    await ctx.out.emitParts(exported(withReadingProgress(ctx, ledger.all())), view);
  },
});

async function* exported(parts: AsyncIterable<LedgerRequest[]>): AsyncGenerator<ExportedRequest[]> {
  for await (const entries of parts) {
    yield entries.map((entry) => ({
      ...entry,
      deadline: deadlineOfRequest(entry) ?? null,
      answered_at: answeredAt(entry) ?? null,
    }));
  }
}
