// `dsr callbacks verify`: runs the four checks on one stored callback.
import * as z from 'zod/mini';
import { type CheckName, checkResult, type Verdict } from '../../lib/domain/callbacks/verify.ts';
import { parseHeaderLines } from '../../lib/files/load.ts';
import { readInput, readInputBytes } from '../../lib/files/read-input.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { isAddress } from '../../lib/bulk/sources/remote.ts';
import { isLoopback } from '../../lib/kernel/address.ts';
import { largest } from '../../lib/kernel/words.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { wrapUnder } from '../../lib/render/width.ts';
import { defineCommand, type FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { givenCertificate } from '../../lib/workflows/processor-certificate.ts';
import { openVerifier } from './session.ts';

export const allowFlag = {
  value: 'domain...',
  many: true,
  help: 'processor domains that may sign (default: from the vendor domain or the certificate)',
} as const satisfies FlagSpec;

const TITLES: Record<CheckName, string> = {
  domain: 'domain',
  certificate_fetched: 'certificate fetched',
  certificate: 'certificate',
  signature: 'signature',
};
const WIDTH = largest(Object.values(TITLES).map((title) => title.length));

export const verdictView: DocumentView<Verdict> = {
  kind: 'document',
  text: ({ checks, valid }, style, width) => {
    const failed = checks.findIndex(({ ok }) => !ok);
    const lines = checks.map(({ detail, name, ok }, index) => {
      const word = ok ? style.green('ok    ') : index === failed ? style.red('failed') : style.dim('-     ');
      return wrapUnder(`${word}  ${TITLES[name].padEnd(WIDTH)}  `, cleanLine(detail), width);
    });
    return [...lines, valid ? style.green('The callback is valid.') : style.red('Do not trust this callback.')].join(
      '\n',
    );
  },
};

export const verifyCallback = defineCommand({
  path: 'dsr callbacks verify',
  summary: 'verify a stored callback: domain, certificate and signature',
  effect: 'local',
  calls: 'settings',
  flags: {
    headers: { value: 'file', required: true, help: 'headers of the callback, as lines or JSON' },
    body: { value: 'file', required: true, help: 'body of the callback, byte for byte; - reads standard input' },
    certificate: { value: 'file|url', help: "the processor's certificate, instead of the one from discovery" },
    allow: allowFlag,
  },
  output: () => z.object({ valid: z.boolean(), checks: z.array(checkResult()) }),
  notes: [
    'A body that was parsed and serialized again no longer matches its signature, so store the original bytes.',
    'With --certificate, no profile or settings are needed.',
    '`cdpadm dsr callbacks listen --keep DIR` stores headers and body in the format that this command reads.',
  ],
  examples: [
    'cdpadm dsr callbacks verify --headers callback.headers --body callback.json',
    'cdpadm dsr callbacks verify --headers callback.headers --body callback.json --certificate processor.pem -o json',
  ],
  exits: {
    failed: 'a check failed',
    unavailable: 'the certificate is not available right now',
    network: 'the certificate cannot be fetched',
    invalidInput: 'the headers cannot be read',
  },
  run: async (ctx, { flags }) => {
    const { certificate } = flags;
    if (certificate !== undefined && isAddress(certificate)) refusePlain(certificate);
    const headers = parseHeaderLines(await readInput(flags.headers, ctx));
    const body = Buffer.from(await readInputBytes(flags.body, ctx));
    const certificates =
      certificate === undefined
        ? undefined
        : givenCertificate(
            certificate,
            isAddress(certificate) ? (await ctx.api()).dsr : { text: (await readInput(certificate, ctx)).text },
            ctx.signal,
          );
    const check = await openVerifier(ctx, { allow: flags.allow, ...(certificates && { certificates }) });
    const { signature: _facts, unreachable, ...verdict } = await check(headers, body);
    if (unreachable) throw unreachable;
    if (!verdict.valid) ctx.setExit('failed');
    return verdict;
  },
  view: verdictView,
});

/** A certificate fetched over plain http proves nothing, because anyone on the network could replace it. */
function refusePlain(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === 'https:' || isLoopback(url.hostname))) return;
  throw usageError(
    url ? `--certificate must be an https address, not ${address}.` : `--certificate: invalid address ${address}.`,
    'Pass an https address, or the certificate as a file.',
  );
}
