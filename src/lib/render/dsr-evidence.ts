// The human-readable page of an evidence archive: what happened to each request, and how to verify it independently.
import { finishedText, historyOf, outcomeText, type RequestEvidence, stateText } from '../domain/dsr/evidence.ts';
import { identitiesText, type LedgerRequest } from '../domain/dsr/ledger.ts';
import type { ChainFacts } from '../kernel/hash-chain.ts';
import { asSentence, counted, largest } from '../kernel/words.ts';
import { figuresOf, RECORDS_STYLE, recordsTable } from './dsr-page.ts';
import { escapeHtml, htmlPage, type PageSource } from './html-page.ts';

export interface EvidenceMessage {
  /** The name `ID.N`, as in `messages/`. */
  name: string;
  requestId: string;
  body_sha256: string;
  /** Fingerprint of the certificate that the ledger names for this body. */
  certificate: string | null;
  /** False if the body was omitted because it may contain identities. */
  isIncluded: boolean;
  /** Whether the signature is valid; null if the ledger has no verdict on these bytes. */
  isValid: boolean | null;
  isSigned: boolean;
}

export interface EvidenceShown {
  requests: readonly RequestEvidence[];
  messages: readonly EvidenceMessage[];
  /** Kept messages that are missing or were changed: `file` is the path without extensions. */
  lost: readonly { requestId: string; file: string; body_sha256: string; what: string }[];
  /** Certificate chains that the ledger names. Those without a problem are in `certificates/` of the archive. */
  certificates: readonly { fingerprint: string; problem?: string | undefined }[];
  ledger: ChainFacts;
}

export function evidencePage(shown: EvidenceShown, source: PageSource): string {
  const { ledger, requests } = shown;
  const sections = requests.map((request) => sectionOf(request, shown));
  return htmlPage(source, {
    title: 'Evidence of data subject requests',
    facts: [counted(requests.length, 'request')],
    lead: `<p>${chainText(ledger)}</p>`,
    main: [summaryOf(requests), ...sections, checksOf(shown)].join('\n'),
    style: RECORDS_STYLE,
  });
}

function chainText({ adopted, entries, head, notes, pruned, unchained, valid }: ChainFacts): string {
  const facts = [
    `The hash chain of the ledger is ${valid ? 'intact' : 'BROKEN'}: ${counted(entries, 'entry', 'entries')}, head <code>${head}</code>.`,
    pruned > 0 && `${counted(pruned, 'entry was', 'entries were')} pruned.`,
    adopted &&
      `The first ${counted(adopted.entries, 'entry was', 'entries were')} chained only at ${escapeHtml(adopted.at)}: earlier changes to them cannot be detected.`,
    unchained > 0 &&
      `Not chained yet: ${counted(unchained, 'line')} from an earlier version. Changes cannot be detected.`,
    ...notes.map(asSentence),
  ];
  return facts.filter((fact) => typeof fact === 'string').join(' ');
}

function summaryOf(requests: readonly RequestEvidence[]): string {
  const count = (holds: (it: RequestEvidence) => boolean): number => requests.filter(holds).length;
  const late = count(({ deadline_met: met }) => met === false);
  const met = count(({ deadline_met, finished }) => deadline_met === true && finished !== 'cancelled');
  const open = count(({ deadline_met, due }) => deadline_met === null && due);
  const figures = [
    ['plain', 'Deadline met', met],
    [late > 0 ? 'bad' : 'plain', 'Late', late],
    ['plain', 'Open', open],
    ['plain', 'Cancelled, not submitted or unknown', requests.length - late - met - open],
  ];
  const rows = requests.map((evidence) => {
    const { submitted_time = 'unknown' } = evidence.request;
    const id = escapeHtml(evidence.request.id);
    const cells = [typeText(evidence.request), submitted_time, evidence.deadline ?? 'unknown'].map(escapeHtml);
    return [`<a href="#${id}"><code>${id}</code></a>`, ...cells, outcomeText(evidence)];
  });
  return `${figuresOf(figures)}
${rows.length > 1 ? recordsTable(['Request', 'Type', 'Requested', 'Deadline', 'Outcome'], rows) : ''}`;
}

/** A request that is known only from callbacks has no type. */
function typeText({ regulation, subject_request_type: type }: LedgerRequest): string {
  return (
    [regulation?.toUpperCase(), type].filter(Boolean).join(' ') || 'unknown: the ledger does not contain its submission'
  );
}

function extensionText({ deadline, exceeded_limit: limit, extended_deadline: extended }: RequestEvidence): string {
  if (extended !== deadline) return ' (does not count: it was recorded after the deadline)';
  return limit === null ? '' : ` (exceeds the legal limit, ${limit})`;
}

function sectionOf(evidence: RequestEvidence, { lost, messages }: EvidenceShown): string {
  const { deadline_met, extended_deadline: extended, request } = evidence;
  const { group_id, id, signatures = [], submitted_time } = request;
  const kept = messages.filter(({ requestId }) => requestId === id);
  return `<section class="${deadline_met === false ? 'bad' : 'plain'}" id="${escapeHtml(id)}"><h2><code>${escapeHtml(id)}</code>: ${outcomeText(evidence)}</h2>
${table(
  ['Field', 'Value'],
  [
    ['Request', typeText(request)],
    ['Requested by the subject', submitted_time ?? 'unknown'],
    ['Deadline', evidence.original_deadline ?? 'unknown'],
    ...(extended === null ? [] : [['Extended deadline', extended + extensionText(evidence)]]),
    ['Answered or finished', finishedText(evidence)],
    ['Digest of the request (keyed)', request.request_digest ?? 'not recorded'],
    ...(group_id === undefined || group_id === null ? [] : [['Group', group_id]]),
    ['Identities (keyed hashes)', identitiesText(request)],
  ],
)}
<h3>History</h3>
${table(
  ['Time', 'Event', 'By'],
  historyOf(request).map(({ at, by, what }) => [at, what, by]),
)}
<h3>Signed messages</h3>
${table(
  ['Time', 'Status', 'Verdict', 'Certificate (SHA-256)', 'Body (SHA-256)'],
  signatures.map((it) => [
    it.at,
    stateText(it),
    it.valid ? 'valid' : `NOT VALID: ${it.failed ?? ''}`,
    it.certificate ?? '',
    it.body_sha256,
  ]),
)}
<h3>Kept messages</h3>
${table(
  ['Message', 'Signature', 'Body (SHA-256)', 'In this archive'],
  [
    ...kept.map((it) => [
      it.name,
      signatureText(it),
      it.body_sha256,
      it.isIncluded ? 'headers and body' : 'headers only (the body may contain identities)',
    ]),
    ...lost
      .filter(({ requestId }) => requestId === id)
      .map(({ body_sha256, file, what }) => [file, '', body_sha256, `no: ${what}`]),
  ],
  'None in this archive: the ledger records no kept message for this request, and no folder passed with --kept contains one.',
)}</section>`;
}

function signatureText({ isSigned, isValid }: EvidenceMessage): string {
  if (!isSigned) return 'none: the platform signs only callbacks and responses to submissions';
  if (isValid === null) return 'not checked: the ledger has no verdict on this message';
  return isValid ? 'signed' : 'NOT VALID';
}

const TIME = /^\d{4}-[\d-]+T[\d:.]+Z$/;

function table(headings: readonly string[], rows: readonly (readonly string[])[], none = 'None.'): string {
  return rows.length === 0
    ? `<p>${none}</p>`
    : recordsTable(
        headings,
        rows.map((cells) => cells.map((cell) => (TIME.test(cell) ? `<time>${cell}</time>` : escapeHtml(cell)))),
      );
}

function checksOf({ certificates, messages, requests }: EvidenceShown): string {
  const signatures = requests.flatMap(({ request }) => request.signatures ?? []);
  const lost = certificates.flatMap(({ fingerprint, problem }) =>
    problem === undefined ? [] : [`<code>${fingerprint}</code> (${problem})`],
  );
  const commands = certificates.flatMap(({ fingerprint, problem }) => {
    const file = `certificates/${fingerprint}.pem`;
    const at = largest(signatures.map((it) => (it.certificate === fingerprint ? Date.parse(it.at) : 0)));
    const own = messages.filter(({ certificate, isIncluded, isValid }) => {
      return isIncluded && isValid === true && certificate === fingerprint;
    });
    if (own.length === 0 || problem !== undefined) return [];
    return [
      `openssl verify -attime ${Math.floor(at / 1000)} -untrusted ${file} ${file}`,
      `openssl crl2pkcs7 -nocrl -certfile ${file} | openssl pkcs7 -print_certs -noout`,
      `openssl x509 -in ${file} -noout -dates -ext subjectAltName`,
      `openssl x509 -in ${file} -noout -pubkey > key.pem`,
      ...own.map(
        ({ name }) =>
          `openssl dgst -sha256 -verify key.pem -signature messages/${name}.signature messages/${name}.body`,
      ),
    ];
  });
  const none =
    lost.length > 0
      ? ''
      : '<p>This archive contains no signed message with its body, so no signature can be checked.</p>';
  return `<section class="plain"><h2>How to check this archive</h2>
<p><code>manifest.json</code> has the SHA-256 of every other file. Check each with <code>sha256sum</code>.</p>
${lost.length === 0 ? '' : `<p>These certificates are not in this archive, so signatures that need them cannot be checked: ${lost.join(', ')}.</p>`}
${
  commands.length === 0
    ? none
    : `<p>You can verify the signatures with openssl. Run these commands in the unpacked archive; each <code>dgst</code> prints
<code>Verified OK</code>. <code>verify</code> checks the chain at the time of the last message: it prints <code>OK</code> if this
machine trusts the root (<code>-CAfile</code> names another). The next command lists the chain. The subject alternative name
must be the processor's domain.</p>
<pre><code>${commands.map(escapeHtml).join('\n')}</code></pre>`
}
<p>For a message without its body, the archive contains the SHA-256 of the body, the headers, and the verdict at that time. The hash chain
reveals later changes to the ledger. It does not reveal a complete rewrite: compare the head with one recorded elsewhere.</p></section>`;
}
