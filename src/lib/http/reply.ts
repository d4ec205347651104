// The last step of a call that succeeded: its body, parsed with exact integers and checked against the contract.
import { explainIssues, showPath } from '../contract/explain.ts';
import type { CliError } from '../kernel/errors.ts';
import { JsonError, parseJson } from '../kernel/json.ts';
import type { Answer } from './answer.ts';
import { type FailedCall, outcomeUnknown, unreadable } from './failure.ts';
import type { Reply } from './types.ts';

/**
 * The reply of a 2xx answer; its body is undefined where the endpoint has none. Throws CliError (1) for an answer that
 * cannot be read; where a repeat is not harmless OutcomeUnknownError, since such an answer proves nothing.
 */
export function readReply(call: FailedCall, answer: Answer): Reply<unknown> {
  const { status, headers } = answer;
  const { reply, safety } = call.endpoint;
  if (!reply) return { status, headers, body: undefined };
  const value = parseBody(answer);
  if (value instanceof Unreadable) throw refuse(value.problem);
  const result = reply.safeParse(value);
  if (result.success) return { status, headers, body: result.data };
  const [issue] = explainIssues(result.error.issues, value);
  throw refuse(
    `has another shape than expected (${showPath(issue?.path ?? []) || 'the whole'} ${issue?.message ?? ''})`,
  );

  function refuse(problem: string): CliError {
    const error = unreadable(call, answer, problem);
    return safety === 'repeat' ? error : outcomeUnknown(call, error);
  }
}

class Unreadable {
  readonly problem: string;
  constructor(problem: string) {
    this.problem = problem;
  }
}

function parseBody(answer: Answer): unknown {
  if (answer.problem !== undefined) return new Unreadable(answer.problem);
  if (answer.text.trim() === '') return new Unreadable('is empty');
  try {
    return parseJson(answer.text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.offset === undefined ? '' : ` at character ${error.offset}`;
    return new Unreadable(`is no usable JSON: ${error.message}${place}`);
  }
}
