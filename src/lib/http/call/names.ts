// The edge where neutral words become a deployment's own and back: bodies, replies and query values of marked endpoints.
import type { Endpoint } from '../../contract/endpoint.ts';
import { createWireNames, NameCollision, type NamesMap } from '../../contract/names.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { AnyInput } from './request.ts';

export interface NamesEdge {
  /** The input as it goes to the wire. Throws KnownError (9) when two fields become the same word. */
  encode<Input extends AnyInput>(endpoint: Endpoint, input: Input): Input;
  /** An answer's value in neutral words. */
  decode(endpoint: Endpoint, value: unknown): unknown;
}

const NOTHING: NamesEdge = { encode: (_endpoint, input) => input, decode: (_endpoint, value) => value };

export function createNamesEdge(map: NamesMap | undefined): NamesEdge {
  const names = createWireNames(map ?? {});
  if (names.empty) return NOTHING;
  return {
    encode: (endpoint, input) => {
      const { body = [], query = [] } = endpoint.names ?? {};
      const encoded = { ...input };
      if (input.body !== undefined && body.length > 0) encoded.body = explained(() => names.encode(input.body, body));
      if (input.query && query.length > 0) {
        encoded.query = Object.fromEntries(
          Object.entries(input.query).map(([name, value]) => [
            name,
            query.includes(name) && typeof value === 'string' ? names.toWire(value) : value,
          ]),
        );
      }
      return encoded;
    },
    decode: (endpoint, value) => names.decode(value, endpoint.names?.reply ?? []),
  };
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NameCollision)) throw error;
    throw invalidInput(
      `Two fields are both called ${error.word} on the wire. Nothing was sent.`,
      [{ path: error.word, message: "stands there in the neutral word and in the deployment's" }],
      "Write it once; the profile's `names` say which word is which.",
    );
  }
}
