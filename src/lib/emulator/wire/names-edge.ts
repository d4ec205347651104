// Translates between the specification's words and a deployment's words, in requests and responses.
import type { Endpoint } from '../../contract/endpoint.ts';
import { createWireNames, type NamesMap, plainNames, type WireNames } from '../../contract/names.ts';
import { isRecord, parseJson, stringifyJson, tryJson } from '../../kernel/json.ts';
import type { Answer } from './platform-error.ts';

export type DeploymentNames = ReturnType<typeof deploymentNames>;

/** A deployment knows only its own words: a neutral word with a translation is unknown to it (decision: D155). */
export function deploymentNames(given: NamesMap) {
  const names = plainNames(given);
  const own = createWireNames(names);
  const words = new Set(Object.values(names));
  const strangers = Object.keys(names).filter((neutral) => !words.has(neutral));
  const strict = createWireNames({
    ...names,
    ...Object.fromEntries(strangers.map((neutral) => [`unknown-here:${neutral}`, neutral])),
  });
  return {
    ...own,
    fromWire: strict.fromWire,
    decode: strict.decode,
    /** Returns the neutral word for a deployment's word or a neutral word. */
    fromEither: own.fromWire,
    /** Returns a message of the platform in the deployment's words. */
    inWords: (text: string): string => text.replace(/(?:unknown-here:)?[A-Za-z_]\w*/g, strict.toWire),
  };
}

/** Returns the body in neutral words. Does not change an invalid body: the handler reports the problem. */
export function bodyFromWire(body: Buffer, { names: marks }: Endpoint, names: WireNames): Buffer {
  if (names.empty || !marks?.body || body.length === 0) return body;
  const value = tryJson(body.toString('utf8'));
  return value === undefined ? body : Buffer.from(stringifyJson(names.decode(value, marks.body)));
}

export function queryFromWire(query: URLSearchParams, { names: marks }: Endpoint, names: WireNames): URLSearchParams {
  for (const name of names.empty ? [] : (marks?.query ?? [])) {
    const value = query.get(name);
    if (value !== null) query.set(name, names.fromWire(value));
  }
  return query;
}

/** Returns a response in the deployment's words. Translates marked fields and error messages. */
export function replyToWire(answer: Answer, endpoint: Endpoint | undefined, names: DeploymentNames): Answer {
  if (names.empty || answer.text === undefined || answer.headers?.['content-type'] !== undefined) return answer;
  const marks = answer.status < 300 ? (endpoint?.names?.reply ?? []) : [];
  // A signed response contains no marked words or messages, so it stays unchanged, byte for byte.
  if (marks.length === 0 && !answer.text.includes('"message"')) return answer;
  return { ...answer, text: stringifyJson(sentencesToWire(names.encode(parseJson(answer.text), marks), names)) };
}

function sentencesToWire(value: unknown, names: DeploymentNames): unknown {
  if (Array.isArray(value)) return value.map((item) => sentencesToWire(item, names));
  if (!isRecord(value)) return value;
  const said = Object.entries(value).map(([key, item]) => [
    key,
    key === 'message' && typeof item === 'string' ? names.inWords(item) : sentencesToWire(item, names),
  ]);
  return Object.fromEntries(said) as unknown;
}
