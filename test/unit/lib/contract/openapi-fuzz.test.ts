// Sends requests generated from the OpenAPI document to the running platform, which must respond as documented. Also
// compiles types generated from the document.
import fc from 'fast-check';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { examples } from '../../../../src/lib/contract/openapi-examples.ts';
import { openApiDocument } from '../../../../src/lib/contract/openapi.ts';
import { allEndpoints } from '../../../../src/lib/contract/index.ts';
import { SERVICE_PATHS } from '../../../../src/lib/emulator/wire/service-paths.ts';
import { changed, type Schema, valueOf } from '../../../helpers/from-schema.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { runs } from '../../../helpers/size.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

const document = openApiDocument('1.0.0');
const { schemas } = document['components'] as { schemas: Record<string, Schema> };
const operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
type Target = (typeof operations)[0];

/** Returns a mix of existing ids and arbitrary text. */
function parameterOf(name: string, { ready }: TestEmulator): fc.Arbitrary<unknown> {
  const known: Record<string, unknown[]> = {
    orgId: [ready.org_id],
    accountId: [ready.account_id],
    workspaceId: [ready.workspace_id, 3002],
    workspace_id: [ready.workspace_id, 3002],
    group_id: ['household', 'g'],
    requestId: [DSR_ID],
    connectionId: ['lakehouse', 'sample-warehouse'],
    modelId: ['customers', 'sample-customers'],
    pipelineId: ['daily-customers', 'sample-sync'],
    pipelineRunId: [1, 2],
    preventResets: [true, false],
    serviceProvider: ['PROVIDER_A', 'PROVIDER_D'],
    startDate: ['2026-01-31'],
  };
  const ids = known[name] ?? [1, 25];
  return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...ids) }, fc.constantFrom(0, 'other', '2026-01-31', 'a b'));
}

const DSR_ID = (examples['dsr.create'] as { subject_request_id: string }).subject_request_id;

function requestOf({ operation, path }: Target, platform: TestEmulator): fc.Arbitrary<{ path: string; body: unknown }> {
  const { parameters = [], requestBody } = operation;
  const names = parameters.map(({ name }) => name);
  const required = parameters.filter((it) => it.in === 'path').map(({ name }) => name);
  const values = fc.record(Object.fromEntries(names.map((name) => [name, parameterOf(name, platform)])), {
    requiredKeys: required,
  });
  const schema = schemas[requestBody?.content['application/json']?.schema.$ref.split('/').at(-1) ?? ''];
  const drawn = schema ? valueOf(schema) : fc.constant(undefined);
  const example = examples[operation.operationId];
  const valid = example === undefined ? drawn : fc.oneof(drawn, fc.constant(example));
  const body = schema ? fc.oneof({ weight: 2, arbitrary: valid }, valid.chain(changed)) : drawn;
  return fc.record({ values, body }).map(({ values: given, body: sent }) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
    const query = Object.entries(given).filter(([name]) => !required.includes(name));
    const search = new URLSearchParams(
      query.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return { path: filled + (search === '' ? '' : `?${search}`), body: sent };
  });
}

async function sendTo(platform: TestEmulator, target: Target, { path, body }: { path: string; body: unknown }) {
  const endpoint = allEndpoints.find(({ id }) => id === target.operation.operationId);
  const { workspace_key, workspace_secret } = platform.ready;
  const prefix = SERVICE_PATHS[endpoint?.service ?? 'base'];
  const sent = { ...(body !== undefined && { body }) };
  if (endpoint?.auth === 'bearer') return await platform.call(target.method.toUpperCase(), prefix + path, sent);
  const headers = endpoint?.auth === 'none' ? {} : basicAuth(`${workspace_key}:${workspace_secret}`);
  return await platform.send(target.method.toUpperCase(), prefix + path, { ...sent, headers });
}

it('accepts every example in the document', async () => {
  const identity = { audience: 'https://api.platform.example' };
  const platform = await startTestEmulator({ clock: 'manual', identity });
  for (const [id, body] of Object.entries(examples)) {
    const target = operations.find(({ operation }) => operation.operationId === id);
    if (!target) throw new Error(`${id} is not in the document`);
    const values: Record<string, string | number> = {
      orgId: platform.ready.org_id,
      accountId: platform.ready.account_id,
      group_id: 'household',
      connectionId: 'lakehouse',
      modelId: 'customers',
      pipelineId: 'daily-customers',
    };
    const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? 3001));
    const { status, text } = await sendTo(platform, target, { path, body });
    expect([id, status < 300 ? 'accepted' : text]).toEqual([id, 'accepted']);
  }
  await platform.close();
});

it('responds to generated requests as documented', async () => {
  const platform = await startTestEmulator({ clock: 'manual' });
  const statuses = new Set<string>();
  const any = fc
    .constantFrom(...operations)
    .chain((target) => requestOf(target, platform).map((sent) => ({ target, sent })));
  await fc.assert(
    fc.asyncProperty(any, async ({ target, sent }) => {
      const { status } = await sendTo(platform, target, sent);
      statuses.add(`${target.operation.operationId} ${status < 300 ? 'accepted' : 'rejected'}`);
      expect(status, JSON.stringify(sent)).not.toBe(500);
      // The rate limit for roles applies per minute of the platform's clock.
      if (status === 429) await platform.api.advance('1m');
    }),
    { numRuns: runs(6000).numRuns },
  );
  // `close` rejects if a response or an accepted request violated the document.
  await platform.close();
  expect([...statuses].filter((one) => one.endsWith('accepted')).length).toBeGreaterThan(15);
});

it('compiles the types that openapi-typescript generates from the document', async () => {
  const nodes = await openapiTS(structuredClone(document) as unknown as OpenAPI3);
  const source = `${astToString(nodes)}
type Pipeline = components['schemas']['PipelinesListReply'][number];
export const status: Pipeline['status'] = 'idle';
// @ts-expect-error -- not a status of the specification
export const other: Pipeline['status'] = 'asleep';
`;
  const file = ts.createSourceFile('api.ts', source, ts.ScriptTarget.ES2022, true);
  // The generated types need only the ES5 library, which is not checked itself.
  const options: ts.CompilerOptions = {
    strict: true,
    skipDefaultLibCheck: true,
    noEmit: true,
    types: [],
    lib: ['lib.es5.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === 'api.ts' ? file : read(name, ...rest));
  const program = ts.createProgram(['api.ts'], options, host);
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  expect(problems).toEqual([]);
});
