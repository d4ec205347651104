// Checks what went over an embedded platform's wire against the OpenAPI document, by a validator that knows nothing of ours.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/lib/contract/openapi.ts';
import type { SeenExchange } from '../../src/lib/emulator/seen-exchange.ts';
import { SERVICE_PATHS } from '../../src/lib/emulator/service-paths.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: { type?: string } }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
type Content = Record<string, { schema: object }>;

interface Checked {
  pattern: RegExp;
  /** Names of the path's placeholders, in order. */
  names: string[];
  method: string;
  operation: Operation;
}

interface Conformance {
  /** What in an exchange is not as the document says; nothing for paths that it does not have. */
  violations(seen: SeenExchange): string[];
}

let opened: Conformance | undefined;

/** Made once: compiling the schemas takes a moment. */
export function openConformance(): Conformance {
  return (opened ??= conformance());
}

function conformance(): Conformance {
  const document = openApiDocument({ version: '0.0.0' });
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<object, ValidateFunction>();
  const operations = operationsOf(document['paths'] as Record<string, Record<string, Operation>>);

  function check(schema: object, value: unknown): string | undefined {
    let validate = compiled.get(schema);
    if (!validate) {
      const { $ref } = schema as { $ref?: string };
      validate = ajv.compile($ref === undefined ? schema : { $ref: `openapi${$ref}` });
      compiled.set(schema, validate);
    }
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  return {
    violations: ({ answer, body, method, url }) => {
      const [path = '', search = ''] = url.split('?');
      const found = operations.find((it) => it.method === method && it.pattern.test(path));
      if (!found) return [];
      const { operation } = found;
      const problems: string[] = [];
      const note = (place: string, problem: string | undefined): void => {
        if (problem !== undefined) problems.push(`${operation.operationId} (${method} ${url}) ${place}: ${problem}`);
      };
      const isDone = answer.status < 300;
      if (isDone) {
        for (const [name, value, place] of parametersOf(found, path, search)) {
          const parameter = operation.parameters?.find((it) => it.name === name && it.in === place);
          note(
            `${place} parameter ${name}`,
            parameter ? check(parameter.schema, typed(value, parameter.schema)) : undefined,
          );
        }
        if (operation.requestBody)
          note('request', check(schemaOf(operation.requestBody.content), parsed(body.toString())));
        else if (body.length > 0) note('request', 'has a body');
      }
      const response =
        operation.responses[String(answer.status)] ?? operation.responses[`${String(answer.status)[0]}XX`];
      if (!response) note('response', `${answer.status} is not documented`);
      else if (answer.text === undefined) {
        // Refusals of E and F may come without a body (specification, "Errors", E and F).
        if (isDone && response.content) note(`response ${answer.status}`, 'has no body');
      } else if (!response.content) note(`response ${answer.status}`, 'has a body');
      else note(`response ${answer.status}`, check(schemaOf(response.content), parsed(answer.text)));
      return problems;
    },
  };
}

function operationsOf(paths: Record<string, Record<string, Operation>>): Checked[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const prefix = operation.operationId.startsWith('dsr.') ? SERVICE_PATHS.dsr : '';
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const pattern = new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '([^/]+)').replace(/\/$/, '')}/?$`);
      return { pattern, names, method: method.toUpperCase(), operation };
    }),
  );
  // A fixed word goes before a placeholder.
  return all.sort((a, b) => a.names.length - b.names.length);
}

function parametersOf({ names, pattern }: Checked, path: string, search: string) {
  const values = pattern.exec(path)?.slice(1) ?? [];
  return [
    ...names.map((name, index) => [name, decodeURIComponent(values[index] ?? ''), 'path'] as const),
    ...[...new URLSearchParams(search)].map(([name, value]) => [name, value, 'query'] as const),
  ];
}

/** A parameter is text on the wire; the schema says what it stands for. */
function typed(text: string, schema: { type?: string }): unknown {
  if (schema.type === 'string') return text;
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

function schemaOf(content: Content): object {
  const [media] = Object.values(content);
  if (!media) throw new Error('a body without a media type');
  return media.schema;
}

function parsed(text: string): unknown {
  // A byte-order mark is let pass, as the platform does.
  return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
}
