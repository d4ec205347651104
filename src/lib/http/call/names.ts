// Maps neutral words to a deployment's own and back, in bodies, replies and query values of marked endpoints.
import type { Endpoint } from '../../contract/endpoint.ts';
import { createWireNames, NameCollision, type NamesMap } from '../../contract/names.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { AnyInput } from './request.ts';

/** `encode` throws KnownError (9) when two fields map to the same word. */
export function createNamesEdge(map: NamesMap | undefined) {
  const names = createWireNames(map ?? {});
  return {
    encode: <Input extends AnyInput>(endpoint: Endpoint, input: Input): Input => {
      const { body = [], query = [] } = endpoint.names ?? {};
      if (names.empty) return input;
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
    decode: (endpoint: Endpoint, value: unknown) => names.decode(value, endpoint.names?.reply ?? []),
  };
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NameCollision)) throw error;
    throw invalidInput(
      `Two fields have the same name on the wire, ${error.word}. Nothing was sent.`,
      [{ path: error.word, message: "is given twice: under the neutral name and under the deployment's name" }],
      "Use only one of the two names. The profile's `names` map them.",
    );
  }
}
