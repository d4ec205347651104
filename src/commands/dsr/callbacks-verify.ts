// `dsr callbacks verify`: the four checks over one callback that somebody kept.
import { Command } from 'commander';
import type { Verdict } from '../../lib/domain/callbacks/verify.ts';
import { parseHeaderLines } from '../../lib/files/header-lines.ts';
import { readInput, readInputBytes } from '../../lib/files/read-input.ts';
import { EXIT, usageError } from '../../lib/kernel/errors.ts';
import { isLoopback } from '../../lib/kernel/loopback.ts';
import { verdictView } from '../../lib/render/verdict.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { givenCertificate } from '../../lib/workflows/processor-certificate.ts';
import { openVerifier } from './session.ts';

interface VerifyFlags {
  headers: string;
  body: string;
  certificate?: string;
  allow?: string[];
}

export function verifyCommand(ctx: Context): Command {
  const command = new Command('verify')
    .description('check a callback: domain, certificate and signature over the raw body')
    .requiredOption('--headers <file>', 'its headers: lines as they were sent, or JSON')
    .requiredOption('--body <file>', 'its body, byte for byte; - is standard input')
    .option('--certificate <file|url>', "the processor's certificate, instead of discovery's")
    .option(
      '--allow <domain...>',
      'processor domains that may sign (default: of the vendor domain, or the certificate)',
    )
    .action((flags: VerifyFlags) => verify(ctx, flags));
  return withHelp(command, {
    calls: 'settings',
    notes: [
      'A body that was parsed and written again does not fit its signature: keep the bytes as they came.',
      'With --certificate no profile and no setting is needed.',
      '`cdpadm dsr callbacks listen --keep DIR` keeps both as this command reads them.',
    ],
    examples: [
      'cdpadm dsr callbacks verify --headers callback.headers --body callback.json',
      'cdpadm dsr callbacks verify --headers callback.headers --body callback.json --certificate processor.pem -o json',
    ],
    json: '{"valid","checks":[{"name":"domain|certificate_fetched|certificate|signature","ok","detail"}]}',
    exits: {
      1: 'a check failed',
      7: 'the certificate cannot be had now',
      8: 'the certificate cannot be fetched',
      9: 'the headers cannot be read',
    },
  });
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** A certificate that anybody on the way could exchange proves nothing. */
function refusePlain(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === 'https:' || isLoopback(url.hostname))) return;
  throw usageError(
    url ? `--certificate takes an https address, not ${address}.` : `--certificate: ${address} is no address.`,
    'Or give the certificate as a file.',
  );
}

async function verify(ctx: Context, flags: VerifyFlags): Promise<void> {
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
  const { unreachable, ...verdict } = await check(headers, body);
  if (unreachable) throw unreachable;
  if (!verdict.valid) ctx.setExit(EXIT.failed);
  await ctx.out.emit<Verdict>(verdict, verdictView);
}
