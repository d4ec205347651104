// Checks the exchanges of an embedded platform against the OpenAPI document with an independent validator.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { allEndpoints } from '../../src/lib/contract/index.ts';
import { openApiDocument } from '../../src/lib/contract/openapi.ts';
import { parseIso } from '../../src/lib/kernel/timestamps.ts';
import type { SeenExchange } from '../../src/lib/emulator/platform/exchange.ts';
import { SERVICE_PATHS } from '../../src/lib/emulator/wire/service-paths.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: { type?: string } }[];
  security: Record<string, unknown>[];
  requestBody?: { content: Content };
  responses: Record<string, Response | undefined>;
}
interface Response {
  content?: Content;
  headers?: Record<string, { required?: boolean; schema: { type?: string } }>;
}
type Content = Record<string, { schema: object }>;

interface Checked {
  pattern: RegExp;
  /** Names of the path's placeholders, in order. */
  names: string[];
  method: string;
  operation: Operation;
}

type OnTheWire = Omit<SeenExchange, 'platform' | 'hasOwnWords'>;

interface Conformance {
  /**
   * Returns the differences between an exchange and the document. Skips bodies and parameters that a deployment names
   * differently.
   */
  violations(seen: OnTheWire, hasOwnWords?: boolean): string[];
}

/** The header pattern for each security scheme in the document. */
const AUTHORIZATION: Record<string, RegExp> = {
  bearer: /^Bearer \S+$/,
  basic: /^Basic [A-Za-z0-9+/]+={0,2}$/,
};

let opened: Conformance | undefined;

/** Creates the checks once and caches them, because compiling the schemas takes a while. */
export function openConformance(): Conformance {
  return (opened ??= conformance());
}

function conformance(): Conformance {
  const document = openApiDocument('0.0.0');
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  // The platform accepts offsets without a colon, and times without seconds.
  ajv.addFormat('date-time', (text: string) => parseIso(text) !== undefined);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<object, ValidateFunction>();
  const operations = operationsOf(document['paths'] as Record<string, Record<string, Operation>>);
  const { securitySchemes } = document['components'] as { securitySchemes: Record<string, { scheme: string }> };

  function check(schema: object, value: unknown): string | undefined {
    let validate = compiled.get(schema);
    if (!validate) {
      const { $ref } = schema as { $ref?: string };
      validate = ajv.compile($ref === undefined ? schema : { $ref: `openapi${$ref}` });
      compiled.set(schema, validate);
    }
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  function authorized({ security }: Operation, header: string | undefined): boolean {
    const schemes = security.flatMap((each) => Object.keys(each)).map((name) => securitySchemes[name]?.scheme ?? '');
    return schemes.length === 0 || schemes.some((scheme) => AUTHORIZATION[scheme]?.test(header ?? '') === true);
  }

  function requestProblems(found: Checked, { body, headers, url }: OnTheWire, hasOwnWords: boolean): string[] {
    const { operation } = found;
    const problems = parameterProblems(found, url, hasOwnWords ? () => undefined : check);
    if (!authorized(operation, headers.authorization)) problems.push('request: has not the authorization it needs');
    if (!operation.requestBody) return body.length > 0 ? [...problems, 'request: has a body'] : problems;
    const type = mediaTypeOf(headers['content-type']);
    const media = operation.requestBody.content[type];
    if (!media) problems.push(`request: is of type "${type}"`);
    else problems.push(...bodyProblems('request', media, type, body.toString(), hasOwnWords));
    return problems;
  }

  function answerProblems({ responses }: Operation, { answer }: OnTheWire, hasOwnWords: boolean): string[] {
    const { headers, status, text } = answer;
    const response = responseTo(responses, status);
    if (!response) return [`response: ${status} is not documented`];
    const place = `response ${status}`;
    for (const [name, { required, schema }] of Object.entries(response.headers ?? {})) {
      const value = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
      if (value === undefined && required === true) return [`${place}: has no header ${name}`];
      const problem = value === undefined ? undefined : check(schema, typed(value, schema));
      if (problem !== undefined) return [`${place}: header ${name}: ${problem}`];
    }
    if (text === undefined) {
      // Errors of areas E and F may lack a body (specification, "Errors", E and F).
      return status < 300 && response.content ? [`${place}: has no body`] : [];
    }
    if (!response.content) return [`${place}: has a body`];
    const type = mediaTypeOf(headers?.['content-type']);
    const media = response.content[type];
    return media ? bodyProblems(place, media, type, text, hasOwnWords) : [`${place}: is of type "${type}"`];
  }

  function bodyProblems(
    place: string,
    { schema }: { schema: object },
    type: string,
    text: string,
    hasOwnWords: boolean,
  ): string[] {
    let value: unknown = text;
    if (type === 'application/json') {
      try {
        value = parsed(text);
      } catch {
        return [`${place}: is no JSON`];
      }
    }
    const problem = hasOwnWords ? undefined : check(schema, value);
    return problem === undefined ? [] : [`${place}: ${problem}`];
  }

  return {
    violations: (seen, hasOwnWords = false) => {
      const { answer, method, url } = seen;
      const found = findOperation(operations, method, url);
      if (!found) return undocumented(method, url, answer.status);
      const problems = answerProblems(found.operation, seen, hasOwnWords);
      if (answer.status < 300) problems.unshift(...requestProblems(found, seen, hasOwnWords));
      return problems.map((problem) => `${found.operation.operationId} (${method} ${url}) ${problem}`);
    },
  };
}

/** Reports a call of an undocumented path, unless its status is 404 or 405. */
function undocumented(method: string, url: string, status: number): string[] {
  return status === 404 || status === 405 ? [] : [`${method} ${url}: ${status} for what is not documented`];
}

function findOperation(operations: readonly Checked[], method: string, url: string): Checked | undefined {
  const path = plainPath(url.split('?')[0] ?? '');
  // A HEAD is a GET without a response body.
  const wanted = method === 'HEAD' ? 'GET' : method;
  return operations.find((it) => it.method === wanted && it.pattern.test(path));
}

/** Removes unnecessary escapes, which do not change a path (RFC 3986, 6.2.2.2). */
function plainPath(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'));
  } catch {
    return path;
  }
}

function responseTo(responses: Operation['responses'], status: number): Response | undefined {
  return responses[String(status)] ?? responses[`${String(status)[0]}XX`];
}

/** Reduces `application/json; charset=utf-8` to `application/json`. */
function mediaTypeOf(header = ''): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

function parameterProblems(
  found: Checked,
  url: string,
  check: (schema: object, value: unknown) => string | undefined,
): string[] {
  const [path = '', search = ''] = url.split('?');
  return parametersOf(found, path, search).flatMap(([name, value, place]) => {
    const parameter = found.operation.parameters?.find((it) => it.name === name && it.in === place);
    const problem = parameter ? check(parameter.schema, typed(value, parameter.schema)) : 'is not documented';
    return problem === undefined ? [] : [`${place} parameter ${name}: ${problem}`];
  });
}

function operationsOf(paths: Record<string, Record<string, Operation>>): Checked[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const prefix = SERVICE_PATHS[allEndpoints.find(({ id }) => id === operation.operationId)?.service ?? 'base'];
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const pattern = new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '([^/]+)').replace(/\/$/, '')}/?$`);
      return { pattern, names, method: method.toUpperCase(), operation };
    }),
  );
  // A literal segment takes precedence over a placeholder.
  return all.sort((a, b) => a.names.length - b.names.length);
}

function parametersOf({ names, pattern }: Checked, path: string, search: string) {
  const values = pattern.exec(plainPath(path))?.slice(1) ?? [];
  return [
    ...names.map((name, index) => [name, decodeURIComponent(values[index] ?? ''), 'path'] as const),
    ...[...new URLSearchParams(search)].map(([name, value]) => [name, value, 'query'] as const),
  ];
}

/** Converts a parameter's text to the type in its schema. */
function typed(text: string, schema: { type?: string }): unknown {
  if (schema.type === 'string') return text;
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

function parsed(text: string): unknown {
  // Accepts a byte order mark, as the platform does.
  return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
}
