// `dsr evidence`: writes a zip archive that shows an auditor what happened to requests.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import {
  evidenceOf,
  isSignedBy,
  mayHaveIdentities,
  type RequestEvidence,
  signatureOf,
} from '../../lib/domain/dsr/evidence.ts';
import type { LedgerRequest } from '../../lib/domain/dsr/ledger.ts';
import { readMessages } from '../../lib/files/kept-messages.ts';
import { writeZip, type ZipEntry } from '../../lib/files/save-download.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { chainFacts } from '../../lib/kernel/hash-chain.ts';
import { isFolder, nameTaken } from '../../lib/kernel/temporary-file.ts';
import { isoMillis, parseIso } from '../../lib/kernel/timestamps.ts';
import { counted } from '../../lib/kernel/words.ts';
import { VERSION } from '../../lib/kernel/version.ts';
import { evidencePage } from '../../lib/render/dsr-evidence.ts';
import { fields, type RecordView } from '../../lib/render/view.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { brokenChain } from '../chain-report.ts';
import { readTime } from '../flag-values.ts';
import { each, pageSource } from '../results.ts';
import { notInLedger, openChains, openDsrMemory, openLedgerOf, pickRequest, requestIds } from './session.ts';

const evidenceFlags = {
  from: { value: 'date', help: 'requests submitted on or after this date or time' },
  to: { value: 'date', help: 'requests submitted on or before this date or time' },
  kept: { value: 'dir', many: true, help: 'another folder with messages stored by --keep, such as a moved folder' },
  showIdentities: { help: 'include the kept responses to submissions, which contain identities' },
} as const satisfies Record<string, FlagSpec>;

type EvidenceFlags = FlagValues<typeof evidenceFlags>;

function evidenceResult() {
  return z.object({
    file: z.string(),
    ...each(z.int(), 'requests', 'messages', 'files'),
    head: z.string(),
    omitted: z.array(z.string()),
  });
}

const view: RecordView<z.infer<ReturnType<typeof evidenceResult>>> = {
  kind: 'record',
  columns: [
    { key: 'file', id: true, value: (it) => it.file },
    ...fields('requests', 'messages', 'files'),
    { key: 'omitted', value: (it) => it.omitted.length },
    { key: 'head', title: 'ledger head', value: (it) => it.head },
  ],
};

export const makeEvidence = defineCommand({
  path: 'dsr evidence',
  summary: 'write an archive that shows what happened to requests',
  effect: 'local',
  calls: 'settings',
  args: { id: { many: true, optional: true, help: 'request ids', pick: pickRequest } },
  flags: evidenceFlags,
  ownsOut: true,
  columns: view.columns,
  output: evidenceResult,
  notes: [
    'The zip file contains a human-readable page (index.html), the ledger entries of the requests (requests.json), the kept messages, the certificates, and the SHA-256 of each file (manifest.json). The page shows how to verify the signatures with openssl.',
    'Identities appear as keyed hashes. Responses to submissions contain identities: without --show-identities, only their headers and the SHA-256 of their bodies are included. The same applies to any other body that contains more than the status of a request.',
    'The ledger records the verdict on each signed message. The messages themselves exist only if `dsr submit`, `dsr status` or `dsr callbacks listen` ran with --keep. The ledger also records where the messages are. The page lists messages that are missing or changed, and the archive omits them. --kept adds folders that were moved, or that an earlier version wrote.',
  ],
  examples: [
    'cdpadm dsr evidence 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --out evidence.zip --dry-run',
    'cdpadm dsr evidence --from 2026-01-01 --to 2026-12-31 --out evidence.zip --dry-run',
  ],
  exits: {
    failed: 'the ledger was changed outside of this program; the archive is written and reports this',
    notFound: 'the request is not in the ledger on this machine',
  },
  run: (ctx, { args, flags }) => evidence(ctx, requestIds(args.id), flags),
});

async function evidence(ctx: Context, ids: readonly string[], flags: EvidenceFlags): Promise<void> {
  const { dryRun, out } = ctx.flags;
  if (out === undefined || out === '-') throw usageError('Pass a file for the archive: --out FILE.zip.');
  if (ids.length > 0 === (flags.from !== undefined || flags.to !== undefined))
    throw usageError('Pass request ids, or --from and --to.');
  const target = resolve(ctx.io.cwd, out);
  if (existsSync(target)) throw nameTaken(out);
  const given = (flags.kept ?? []).map((folder) => resolve(ctx.io.cwd, folder));
  const noFolder = given.find((folder) => !isFolder(folder));
  if (noFolder !== undefined) throw usageError(`--kept must be a folder, but ${noFolder} is not.`);
  const { actor, folders, path, report, requests } = await readLedger(ctx, ids, flags);
  const ledger = chainFacts(report);
  const { entries, omitted, shown } = await collect(ctx, requests, [...folders, ...given], flags);
  const source = { ...(await pageSource(ctx, 'dsr_base_url')), made_by: actor };
  const page = evidencePage({ ...shown, requests, ledger }, source);
  const files: ZipEntry[] = [
    { name: 'index.html', data: Buffer.from(page) },
    { name: 'requests.json', data: jsonOf(requests) },
    ...entries,
  ];
  const manifest = {
    made_at: isoMillis(ctx.clock.now()),
    made_by: `cdpadm ${VERSION}`,
    ...actor,
    ledger,
    files: files.map(({ data, name }) => ({ name, bytes: data.length, sha256: hash('sha256', data) })),
    omitted,
  };
  const result = {
    file: out,
    requests: requests.length,
    messages: shown.messages.length,
    files: files.length + 1,
    head: ledger.head,
    omitted: omitted.map(({ name }) => name),
  };
  if (dryRun) {
    const text = `${result.files} files about ${requests.length} requests would be written to ${out}.`;
    await ctx.out.beside().emitDryRun([], result, text);
  } else {
    await writeZip(target, [...files, { name: 'manifest.json', data: jsonOf(manifest) }], ctx.clock.now());
    await ctx.out.beside().emit(result, view);
  }
  const broken = brokenChain(path, 'ledger', report);
  if (broken) throw broken;
}

/** Returns the selected requests, and the state of the ledger's chain. Throws not found (5) for an unknown id. */
async function readLedger(ctx: Context, ids: readonly string[], flags: EvidenceFlags) {
  const from = parseIso(readTime('--from', flags.from, '00:00:00')) ?? -Infinity;
  const to = parseIso(readTime('--to', flags.to, '23:59:59')) ?? Infinity;
  if (from > to) throw usageError('--from must not be after --to.');
  const ledger = await openLedgerOf(ctx);
  const { ledger: own, submitter } = await openDsrMemory(ctx);
  const isChosen = ({ address, at, id, workspace_id }: LedgerRequest): boolean => {
    if (address !== submitter.address || workspace_id !== submitter.workspace_id) return false;
    const sent = parseIso(at);
    return ids.length > 0 ? ids.includes(id) : sent !== undefined && sent >= from && sent <= to;
  };
  const requests: RequestEvidence[] = [];
  /** Folders with kept messages: a killed process may have stored messages there without recording them. */
  const folders = new Set<string>();
  for await (const part of ledger.all()) {
    for (const request of part) {
      for (const { file } of request.kept ?? []) folders.add(dirname(file));
      if (isChosen(request)) requests.push(evidenceOf(request, ctx.clock.now()));
    }
  }
  const missing = ids.find((id) => !requests.some(({ request }) => request.id === id));
  if (missing !== undefined) throw notInLedger(missing, 'Run the command on the machine that submitted the request.');
  if (requests.length === 0)
    ctx.out.warn('The archive contains no requests: this machine submitted none in this workspace and period.');
  return { actor: own.actor, folders, path: ledger.path, report: await ledger.verify(), requests };
}

/** Returns the kept messages in these folders, those in the ledger that no folder contains, and the certificates. */
async function collect(
  ctx: Context,
  requests: readonly RequestEvidence[],
  folders: readonly string[],
  flags: EvidenceFlags,
) {
  const entries: ZipEntry[] = [];
  const omitted: { name: string; sha256?: string; reason: string }[] = [];
  const taken = new Set<string>();
  const ids = new Set(requests.map(({ request }) => request.id));
  const all = [...new Set(folders)].flatMap((folder) => readMessages(folder, ids));
  const contentOf = (it: { file: string; body_sha256: string; headers_sha256: string }): string =>
    [basename(it.file), it.headers_sha256, it.body_sha256].join(' ');
  const recorded = requests.flatMap(({ request: { id, kept = [] } }) => kept.map((it) => ({ ...it, requestId: id })));
  const contents = new Set(recorded.map(contentOf));
  const [paths, names] = [new Set(recorded.map(({ file }) => file)), new Set(recorded.map((it) => basename(it.file)))];
  const isChanged = (it: (typeof all)[number]): boolean => names.has(it.name) && !contents.has(contentOf(it));
  const changed = all.filter(isChanged);
  // A copy in another folder adds nothing.
  const found = new Map(all.flatMap((it) => (isChanged(it) ? [] : [[contentOf(it), it]])));
  const lost = recorded.flatMap((it) => {
    if (found.has(contentOf(it))) return [];
    const isHere = changed.some(
      ({ file, name }) => file === it.file || (!paths.has(file) && name === basename(it.file)),
    );
    const what = isHere ? 'changed: not the message recorded in the ledger' : 'missing';
    omitted.push({ name: it.file, sha256: it.body_sha256, reason: what });
    return [{ ...it, what }];
  });
  if (lost.length > 0)
    ctx.out.warn(
      `${counted(lost.length, 'kept message is', 'kept messages are')} missing or changed; the page lists each one. If a folder was moved, pass its new path: --kept DIR.`,
    );
  const facts = requests.flatMap(({ request }) => request.signatures ?? []);
  const chains = await openChains(ctx);
  const used = new Set(facts.flatMap(({ certificate }) => certificate ?? []));
  const certificates = [...used].map((fingerprint) => {
    const { pem, problem } = chains.read(fingerprint);
    const name = `certificates/${fingerprint}.pem`;
    if (pem === undefined) omitted.push({ name, reason: problem });
    else entries.push({ name, data: Buffer.from(pem) });
    return { fingerprint, pem, problem };
  });
  const messages = [...found.values()].map(({ body, body_sha256, head, headers, name: stored, requestId }) => {
    let name = stored;
    for (let copy = 2; taken.has(name); copy++) name = `${stored}-${copy}`;
    taken.add(name);
    const fact = facts.find((one) => one.body_sha256 === body_sha256);
    const isCallback = fact?.valid === true && fact.source === 'callback';
    const isIncluded = flags.showIdentities === true || isCallback || !mayHaveIdentities(body);
    const signature = signatureOf(headers);
    entries.push({ name: `messages/${name}.headers.json`, data: head });
    if (signature) entries.push({ name: `messages/${name}.signature`, data: signature });
    if (isIncluded) entries.push({ name: `messages/${name}.body`, data: body });
    else omitted.push({ name: `messages/${name}.body`, sha256: body_sha256, reason: 'it may contain identities' });
    const certificate = fact?.certificate ?? null;
    const pem = certificates.find(({ fingerprint }) => fingerprint === certificate)?.pem;
    const isValid = fact === undefined ? null : fact.valid && isSignedBy(pem, headers, body);
    return { name, requestId, body_sha256, certificate, isIncluded, isValid, isSigned: signature !== undefined };
  });
  const missing = certificates.filter(({ problem }) => problem !== undefined).length;
  const these = counted(missing, 'certificate is', 'certificates are');
  if (missing > 0) ctx.out.warn(`${these} missing or changed; the page lists each one.`);
  return { entries, omitted, shown: { messages, lost, certificates } };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
