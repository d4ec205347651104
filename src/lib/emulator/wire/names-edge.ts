// The platform's side of wire names: requests come in a deployment's words and answers go out in them.
import type { Endpoint } from '../../contract/endpoint.ts';
import { createWireNames, type NamesMap, type WireNames } from '../../contract/names.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Answer } from './platform-error.ts';

/**
 * The names of a deployment that knows its own words only: a neutral word that has one of its own means nothing here,
 * as it would mean nothing there (decision: D155).
 */
export function deploymentNames(names: NamesMap): WireNames {
  const own = createWireNames(names);
  const words = new Set(Object.values(names));
  const strangers = Object.keys(names).filter((neutral) => !words.has(neutral));
  const strict = createWireNames({
    ...names,
    ...Object.fromEntries(strangers.map((neutral) => [`unknown-here:${neutral}`, neutral])),
  });
  return { ...own, fromWire: strict.fromWire, decode: strict.decode };
}

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
