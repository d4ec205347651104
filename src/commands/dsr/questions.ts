// Asks for the values of `dsr submit` that no flag provides.
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
import type { RequestParts } from '../../lib/domain/dsr/compose.ts';
import { isEmailOrDigest } from '../../lib/domain/dsr/normalize.ts';
import { KnownError } from '../../lib/kernel/errors.ts';
import { parseIso } from '../../lib/kernel/timestamps.ts';
import { series } from '../../lib/kernel/words.ts';
import { maskIdentity } from '../../lib/render/dsr-request.ts';
import type { Choice, Context } from '../../lib/runtime/context.ts';
import { BACK, TO_GO_BACK } from '../../lib/runtime/prompts/asker.ts';
import { startOfDay } from '../flag-values.ts';
import { choice } from '../pick.ts';
import type { SubmitSession } from './session.ts';
import { issuesOfParts, requestFromParts, STAND_IN, trimmed } from './submit-input.ts';

const MEANING = {
  gdpr: 'due within one month',
  ccpa: 'due within 45 days',
  access: 'the subject wants to know what data is stored',
  portability: 'the subject wants their data in a portable form',
  erasure: 'the subject wants to be forgotten',
} as const;

/** Answers in a run for several profiles, by the terminal that they share: every workspace gets the same request. */
const answers = new WeakMap<Context['io'], RequestParts>();

/**
 * Returns a function that asks for the missing parts, or undefined if nothing is missing. If it is called again, it
 * goes back to the last question. Each question is asked only for the first of several profiles. Throws usage (2)
 * before the first question for an invalid flag; without an interactive terminal, the error lists the missing flags.
 */
export function openQuestions(
  ctx: Context,
  session: SubmitSession,
  parts: RequestParts,
  showIdentities: boolean,
): (() => Promise<RequestParts>) | undefined {
  const { identities: given, regulation: law, subject_request_type: wanted } = parts;
  if (law !== undefined && wanted !== undefined && given.length > 0) return undefined;
  const values = { '--regulation': law, '--type': wanted, '--identity TYPE=VALUE': given[0] };
  // One error lists all missing flags together.
  const missing = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const flag = series(missing, 'and');
  if (ctx.prompt.possible) checkGiven(ctx, session, parts);
  const steps: Step[] = [
    ...(law === undefined ? [askRegulation] : []),
    ...(wanted === undefined ? [askType] : []),
    ...(given.length === 0 ? [askIdentities] : []),
    askMore,
  ];
  const shown = (value: string): string => (showIdentities ? value : maskIdentity(value));
  let current = answers.get(ctx.io) ?? parts;
  let at = answers.has(ctx.io) ? steps.length : 0;
  return async () => {
    while (at < steps.length) {
      const asking = { ctx, session, flag, canGoBack: at > 0, shown };
      const { back, parts: answered } = await (steps[at] as Step)(asking, current);
      current = answered;
      at += back ? -1 : 1;
    }
    at = steps.length - 1;
    answers.set(ctx.io, current);
    return current;
  };
}

interface Asking {
  ctx: Context;
  session: SubmitSession;
  flag: string;
  canGoBack: boolean;
  shown(value: string): string;
}

/** A step of the dialog. Returns the parts with the new answer, which is kept when the user goes one step back. */
type Step = (asking: Asking, parts: RequestParts) => Promise<{ parts: RequestParts; back?: boolean }>;

const BACK_CHOICE: Choice = { value: BACK, label: 'Back', hint: 'to the previous question' };

async function choose({ canGoBack, ctx, flag }: Asking, question: string, choices: Choice[]): Promise<string> {
  return await ctx.prompt.select(question, canGoBack ? [...choices, BACK_CHOICE] : choices, { flag });
}

function askFor(question: string, field: 'regulation' | 'subject_request_type', choices: Choice[]): Step {
  return async (asking, parts) => {
    const value = await choose(asking, question, choices);
    return value === BACK ? { parts, back: true } : { parts: { ...parts, [field]: value } };
  };
}

const askRegulation = askFor(
  'Regulation',
  'regulation',
  REGULATIONS.map((value) => ({ value, label: value.toUpperCase(), hint: MEANING[value] })),
);
const askType = askFor(
  'Type of the request',
  'subject_request_type',
  REQUEST_TYPES.map((value) => ({ value, hint: MEANING[value] })),
);

async function askMore(asking: Asking, before: RequestParts): ReturnType<Step> {
  for (let parts = before; ;) {
    const { group_id, status_callback_urls: urls = [], submitted_time } = parts;
    const field = await choose(asking, 'More options', [
      { value: 'none', label: 'Continue' },
      { value: 'submitted_time', label: 'Submitted time', hint: submitted_time ?? 'now' },
      { value: 'group_id', label: 'Group', hint: group_id ?? 'none' },
      { value: 'status_callback_urls', label: 'Callback', hint: urls.join(', ') || 'none' },
    ]);
    if (field === BACK || field === 'none') return { parts, back: field === BACK };
    const check = (text: string): string | undefined => {
      if (isBack(text) || text.trim() === '') return undefined;
      const value = valueOf(field, text.trim());
      if (field === 'submitted_time' && parseIso(String(value)) === undefined)
        return 'Enter a date, or a time with a time zone.';
      return issueOf(asking, { [field]: value }, field);
    };
    const [question = field, example] = QUESTIONS[field] ?? [];
    const note = [example, 'empty for none', TO_GO_BACK].filter(Boolean).join('; ');
    const text = (await asking.ctx.prompt.input(question, { check, note })).trim();
    if (text === '') delete (parts = { ...parts })[field];
    else if (!isBack(text)) parts = { ...parts, [field]: valueOf(field, text) };
  }
}

const QUESTIONS: Record<string, [question: string, example?: string]> = {
  submitted_time: ['Submitted time', 'when the subject made the request, such as 2026-01-31 or 2026-01-31T08:00:00Z'],
  group_id: ['Group id'],
  status_callback_urls: ['Callback address'],
};
function isBack(text: string): boolean {
  return text.trim() === BACK;
}

function valueOf(field: string, text: string): string | string[] {
  if (field === 'submitted_time') return startOfDay(text);
  return field === 'status_callback_urls' ? [text] : text;
}

function checkGiven(ctx: Context, { normalize }: SubmitSession, parts: RequestParts): void {
  const { regulation = STAND_IN.regulation, subject_request_type = STAND_IN.subject_request_type } = parts;
  const identities = parts.identities.length > 0 ? parts.identities : STAND_IN.identities;
  requestFromParts(ctx, { ...parts, regulation, subject_request_type, identities }, normalize);
}

/** Going back removes the last identity or, if there is none, leaves the step. */
async function askIdentities(asking: Asking, parts: RequestParts): ReturnType<Step> {
  // Without a terminal, no one can answer, so fail before reading discovery.
  if (!asking.ctx.prompt.possible) await asking.ctx.prompt.input('Identity', { flag: asking.flag });
  const given = [...parts.identities];
  const types = await identityTypes(asking.ctx, asking.session);
  for (let isReturn = given.length > 0; ; isReturn = false) {
    const left = given.length < DSR_LIMITS.identities ? types.filter((type) => isPossible(type, given)) : [];
    if (left.length === 0 && !isReturn) break;
    if (given.length > 0) {
      // A screen reader reads the long list of types line by line, so ask a short question first.
      const so = given.map(([type, value]) => `${type} = ${asking.shown(value)}`).join(', ');
      const more = await choose({ ...asking, canGoBack: true }, 'Another identity?', [
        { value: 'no', label: 'No', hint: `continue with ${so}` },
        ...(left.length > 0 ? [{ value: 'yes', label: 'Yes' }] : []),
      ]);
      if (more === 'no') break;
      if (more === BACK) {
        given.pop();
        continue;
      }
    }
    const choices = left.map((value) => choice(value, hintOf(value)));
    const type = await choose({ ...asking, canGoBack: asking.canGoBack || given.length > 0 }, 'Identity type', choices);
    if (type === BACK) {
      if (given.pop() === undefined) return { parts: { ...parts, identities: [] }, back: true };
      continue;
    }
    const value = await askValue(asking, type);
    if (value !== BACK) given.push([type, value]);
  }
  return { parts: { ...parts, identities: given } };
}

/** Asks for a value. Asks again about a likely typo, because the platform would report "no data" only weeks later. */
async function askValue(asking: Asking, type: string): Promise<string> {
  const { ctx } = asking;
  const check = (text: string): string | undefined => {
    if (isBack(text)) return undefined;
    if (text.trim() === '') return `The value of ${type} is empty. Type a value, or ${BACK} to go back.`;
    return issueOf(asking, { identities: [[type, text.trim()]] }, type);
  };
  for (;;) {
    const shown = (text: string): string => (isBack(text) ? 'Back' : asking.shown(text.trim()));
    const typed = await ctx.prompt.input(`Value of ${type}`, { check, note: TO_GO_BACK, shown });
    const value = isBack(typed) ? BACK : trimmed(ctx, type, typed);
    if (value === BACK || type !== 'email' || isEmailOrDigest(value)) return value;
    if (await ctx.prompt.ask('The value does not look like an email address (name@example.com). Use it anyway?', false))
      return value;
  }
}

/** Returns the types from discovery or, if that fails, from the specification. Types that name people come first. */
async function identityTypes(ctx: Context, { api, signal }: SubmitSession): Promise<string[]> {
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
  // `xpid` cannot be combined with other identities.
  if (taken.includes('xpid') || (type === 'xpid' && taken.length > 0)) return false;
  return !taken.some((known) => known === type || internalIdentityType(known) === internalIdentityType(type));
}

function hintOf(type: string): string | undefined {
  if (type === 'xpid') return "the platform's own profile id; it cannot be combined with other identities";
  if (type === 'controller_customer_id') return 'your own id for the customer';
  return DEVICE_IDENTITY_TYPES.has(type) ? 'device or app' : undefined;
}

/** Returns the issue that the full check would report later, when the user could no longer correct the value. */
function issueOf({ ctx, session }: Asking, part: Partial<RequestParts>, field: string): string | undefined {
  const issue = issuesOfParts(part, session.normalize, ctx.clock.now()).find(({ path }) => path.includes(field));
  return issue && `It ${issue.message}.`;
}
