// The platform's side of wire names: requests come in a deployment's words and answers go out in them.
import type { Endpoint } from '../contract/endpoint.ts';
import type { WireNames } from '../contract/names.ts';
import { parseJson, stringifyJson } from '../kernel/json.ts';
import type { Answer } from './platform-error.ts';

/** The body in neutral words. One that cannot be parsed stays as it is: its handler says what is wrong with it. */
export function bodyFromWire(body: Buffer, { names: marks }: Endpoint, names: WireNames): Buffer {
  if (names.empty || !marks?.body || body.length === 0) return body;
  let value: unknown;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    return body;
  }
  return Buffer.from(stringifyJson(names.decode(value, marks.body)));
}

export function queryFromWire(query: URLSearchParams, { names: marks }: Endpoint, names: WireNames): URLSearchParams {
  for (const name of names.empty ? [] : (marks?.query ?? [])) {
    const value = query.get(name);
    if (value !== null) query.set(name, names.fromWire(value));
  }
  return query;
}

/** A successful answer in the deployment's words; refusals hold none. */
export function replyToWire(answer: Answer, { names: marks }: Endpoint, names: WireNames): Answer {
  if (names.empty || !marks?.reply || answer.text === undefined || answer.status >= 300) return answer;
  return { ...answer, text: stringifyJson(names.encode(parseJson(answer.text), marks.reply)) };
}
