// Reads the bodies of E and F, and reports their errors (specification, "Errors", E).
import type { infer as Infer, ZodMiniType } from 'zod/mini';
import { type FieldIssue, showPath } from '../../contract/explain.ts';
import { acceptBody, MOST_ERRORS, parseBody } from '../wire/request-body.ts';
import type { PlatformError } from '../wire/platform-error.ts';
import { codedRefusal } from '../platform/envelopes.ts';

/** The 400 of E and F: `<attribute name>: <error message>` for each issue of `value`. */
export function badRequest(issues: readonly FieldIssue[], value: unknown): PlatformError {
  return codedRefusal(
    400,
    issues.slice(0, MOST_ERRORS).map((issue) => nameIssue(issue, value)),
  );
}

/** Parses and checks a body; ignores unknown fields (decision: D6). Throws 400. */
export function readIngestBody<Schema extends ZodMiniType>(schema: Schema, body: Buffer): Infer<Schema> {
  const value = parseBody(body, (message) => badRequest([{ path: ['body'], message }], undefined));
  return acceptBody(schema, value, (issues) => badRequest(issues, value));
}

/** The attribute with the issue, or otherwise the field of the body, and the problem. */
function nameIssue({ path, message }: FieldIssue, value: unknown): string {
  const inUser = typeof path[0] === 'number' ? path.slice(1) : path;
  const [field = 'body', ...rest] = inUser;
  const attribute = rest.length > 1 ? attributeAt(value, path.slice(0, path.length - inUser.length + 3)) : undefined;
  const place = showPath(attribute === undefined ? rest : rest.slice(2));
  return `${attribute ?? field}: ${place === '' ? '' : `${place} `}${message}`;
}

function attributeAt(value: unknown, path: readonly (string | number)[]): string | undefined {
  const found = path.reduce<unknown>(
    (inner, segment) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[segment] : undefined,
    value,
  );
  if (typeof found !== 'object' || found === null || !('attribute_name' in found)) return undefined;
  const { attribute_name: name } = found;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
