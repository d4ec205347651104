// The questions of `dsr submit` for whatever no flag gave.
import { REGULATIONS, REQUEST_TYPES } from '../../lib/contract/choices.ts';
import { OTHER_SPELLING } from '../../lib/contract/dsr-rules.ts';
import {
  DEVICE_IDENTITY_TYPES,
  EXTENSION_IDENTITY_TYPES,
  inOfferedOrder,
  internalIdentityType,
  REQUEST_IDENTITY_TYPES,
} from '../../lib/contract/identities.ts';
import { DSR_LIMITS } from '../../lib/contract/limits.ts';
import { composeRequest, type RequestParts } from '../../lib/domain/dsr/compose.ts';
import { type NormalizeOptions, normalizeRequest } from '../../lib/domain/dsr/normalize.ts';
import { KnownError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { DsrSession } from './session.ts';
import { requestFromParts } from './submit-input.ts';

const MEANING = {
  gdpr: 'due within one month',
  ccpa: 'due within 45 days',
  access: 'the subject wants to know what is kept',
  portability: 'the subject wants their data in a form to take away',
  erasure: 'the subject wants to be forgotten',
} as const;

/** For what is not known yet, while the rest is checked. */
const STAND_IN = {
  regulation: REGULATIONS[0],
  subject_request_type: REQUEST_TYPES[0],
  subject_request_id: '00000000-0000-4000-8000-000000000000',
  submitted_time: '1970-01-01T00:00:00Z',
} as const;

/**
 * Completes the parts; asks for nothing that is there. Throws usage (2): for what flags gave wrong, before anything is
 * asked, and where nobody can be asked, with the flag of what is missing.
 */
export async function askForMissing(ctx: Context, session: DsrSession, parts: RequestParts): Promise<RequestParts> {
  const { identities: given, regulation: law, subject_request_type: wanted } = parts;
  const isWhole = law !== undefined && wanted !== undefined && given.length > 0;
  if (isWhole) return parts;
  const flag = missingFlags(parts);
  if (ctx.prompt.possible) checkGiven(ctx, session, parts);
  const regulation =
    parts.regulation ??
    (await ctx.prompt.select(
      'Regulation',
      REGULATIONS.map((value) => ({ value, label: value.toUpperCase(), hint: MEANING[value] })),
      { flag },
    ));
  const type =
    parts.subject_request_type ??
    (await ctx.prompt.select(
      'Type of the request',
      REQUEST_TYPES.map((value) => ({ value, hint: MEANING[value] })),
      { flag },
    ));
  const identities = parts.identities.length > 0 ? parts.identities : await askIdentities(ctx, session, flag);
  return { ...parts, regulation, subject_request_type: type, identities };
}

/** All of them at once: who cannot be asked is not to learn of them one run after another. */
function missingFlags({ regulation, subject_request_type: type, identities }: RequestParts): string {
  const missing = [
    ...(regulation === undefined ? ['--regulation'] : []),
    ...(type === undefined ? ['--type'] : []),
    ...(identities.length === 0 ? ['--identity TYPE=VALUE'] : []),
  ];
  return missing.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

function checkGiven(ctx: Context, { normalize }: DsrSession, parts: RequestParts): void {
  const { regulation = STAND_IN.regulation, subject_request_type = STAND_IN.subject_request_type } = parts;
  const identities: RequestParts['identities'] = parts.identities.length > 0 ? parts.identities : [['email', 'a']];
  requestFromParts(ctx, { ...parts, regulation, subject_request_type, identities }, normalize);
}

async function askIdentities(ctx: Context, session: DsrSession, flag: string): Promise<[string, string][]> {
  // Found out before anything is fetched that nobody could answer for.
  if (!ctx.prompt.possible) await ctx.prompt.input('Identity', { flag });
  const types = await identityTypes(ctx, session);
  const given: [string, string][] = [];
  while (given.length < DSR_LIMITS.identities) {
    const left = types.filter((type) => isPossible(type, given));
    if (left.length === 0) break;
    // The list is long, and read line by line by some.
    if (given.length > 0 && !(await ctx.prompt.ask('Another identity?', false))) break;
    const type = await ctx.prompt.select(
      'Identity type',
      left.map((value) => {
        const hint = hintOf(value);
        return { value, ...(hint !== undefined && { hint }) };
      }),
    );
    given.push([type, await askValue(ctx, session, type)]);
  }
  return given;
}

/** What is taken as it is although it may be a slip is asked about: a wrong address finds nobody, and says so weeks later. */
async function askValue(ctx: Context, { normalize }: DsrSession, type: string): Promise<string> {
  const check = (text: string): string | undefined => issueOfValue(ctx, type, text.trim(), normalize);
  for (;;) {
    const value = (await ctx.prompt.input(`Value of ${type}`, { check })).trim();
    if (type !== 'email' || EMAIL_OR_DIGEST.test(value)) return value;
    if (
      await ctx.prompt.ask('It does not look like an e-mail address (name@example.com). Take it all the same?', false)
    )
      return value;
  }
}

/** Deployments that keep no addresses are asked by their digests. */
const EMAIL_OR_DIGEST = /^(?:[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+|[0-9a-f]{32,128})$/i;

/** From discovery, else from the specification, what names a person directly first. */
async function identityTypes(ctx: Context, { api, signal }: DsrSession): Promise<string[]> {
  try {
    const { supported_identities: supported } = await api.discovery(signal);
    return inOfferedOrder([...supported.map(({ identity_type: type }) => type), ...EXTENSION_IDENTITY_TYPES]);
  } catch (error) {
    if (!(error instanceof KnownError) || signal.aborted) throw error;
    ctx.out.verbose(`discovery cannot be read, so the specification's identity types are offered: ${error.message}`);
    const known = Object.keys(REQUEST_IDENTITY_TYPES).filter((type) => type !== OTHER_SPELLING);
    return inOfferedOrder([...known, ...EXTENSION_IDENTITY_TYPES]);
  }
}

function isPossible(type: string, given: readonly (readonly [string, string])[]): boolean {
  const taken = given.map(([known]) => known);
  // `xpid` stands alone.
  if (taken.includes('xpid') || (type === 'xpid' && taken.length > 0)) return false;
  return !taken.some((known) => known === type || internalIdentityType(known) === internalIdentityType(type));
}

/** What the word alone does not say. */
function hintOf(type: string): string | undefined {
  if (type === 'xpid') return "the platform's own id of a profile; no other identity may be given beside it";
  if (type === 'controller_customer_id') return 'your own id of the customer';
  return DEVICE_IDENTITY_TYPES.has(type) ? 'device or app' : undefined;
}

/** What the check of the whole request would say of this value, said while it can still be typed anew. */
function issueOfValue(ctx: Context, type: string, value: string, options: NormalizeOptions): string | undefined {
  if (value === '') return 'It is empty.';
  const body = composeRequest({ ...STAND_IN, identities: [[type, value]] }, options.vendorDomain);
  const issue = normalizeRequest(body, options, ctx.clock.now()).issues.find(({ path }) => path.includes(type));
  return issue && `It ${issue.message}.`;
}
