// The MCP server's tools, generated from the command records: for each area, one to read, one to plan and one to write.
import { groupBy } from '../../kernel/group-by.ts';
import type { Command } from 'commander';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { type CommandRecord, recordOf } from '../command-line/define-command.ts';
import { isRecord } from '../../kernel/json.ts';
import { jsonSchemaOfResult, type Schema } from '../output/result-shape.ts';
import { parametersOf, schemaOf } from './calls.ts';

export type ToolKind = 'read' | 'plan' | 'write';

export interface AreaTool {
  kind: ToolKind;
  records: ReadonlyMap<string, CommandRecord>;
  definition: Tool;
}

export function toolsOf(root: Command, mayWrite: boolean): AreaTool[] {
  const offered = root.commands.filter((group) => offeredBy(group).length > 0);
  return [...groupBy(offered, (group) => group.helpGroup()).values()].flatMap((groups) => {
    const area = groups[0].name().replaceAll('-', '_');
    const records = groups.flatMap(offeredBy);
    const writes = records.filter(({ effect }) => effect === 'write');
    const reads = records.filter((record) => !writes.includes(record));
    const applied = mayWrite ? writes.filter(({ byPerson }) => !byPerson) : [];
    const kinds: [ToolKind, CommandRecord[]][] = [
      ['read', reads],
      ['plan', writes],
      ['write', applied],
    ];
    return kinds.flatMap(([kind, of]) => (of.length === 0 ? [] : [toolOf(area, kind, of, mayWrite)]));
  });
}

/** Returns the records of this command and of all commands below it that an assistant may call. */
function offeredBy(command: Command): CommandRecord[] {
  const record = recordOf(command);
  const { effect, endless, tool } = record ?? { effect: 'local' };
  const isOffered = tool !== undefined ? tool !== false : effect !== 'local' && !endless;
  return [...(record && isOffered ? [record] : []), ...command.commands.flatMap(offeredBy)];
}

function toolOf(area: string, kind: ToolKind, records: readonly CommandRecord[], mayWrite: boolean): AreaTool {
  const isWrite = kind === 'write';
  const command = { type: 'string', enum: records.map(({ path }) => path) };
  const plan = { type: 'string', description: `the id of a plan from ${area}_plan` };
  const offset = { type: 'integer', description: 'skip the first N items of a list' };
  const known = groupBy(records.flatMap(parametersOf), ({ name }) => name);
  const parameters = Object.fromEntries([...known].map(([name, of]) => [name, schemaOf(of)]));
  return {
    kind,
    records: new Map(records.map((record) => [record.path, record])),
    definition: {
      name: `${area}_${kind}`,
      description: [introduction(area, kind, mayWrite), ...(isWrite ? [] : records.map(signatureOf))].join('\n'),
      inputSchema: {
        type: 'object',
        properties: isWrite ? { command, plan } : { command, ...(kind === 'read' && { offset }), ...parameters },
        required: isWrite ? ['command', 'plan'] : ['command'],
        additionalProperties: false,
      },
      outputSchema: outputOf(kind, records),
      annotations: { readOnlyHint: !isWrite, destructiveHint: isWrite, idempotentHint: !isWrite, openWorldHint: true },
    },
  };
}

function introduction(area: string, kind: ToolKind, mayWrite: boolean): string {
  const next = mayWrite ? ` After the user approves the plan, pass its id to ${area}_write.` : '';
  const texts = {
    read: 'Read only. Commands:',
    plan: `Dry run: shows what a command would send and changes nothing.${next} Commands:`,
    write: `Applies a plan from ${area}_plan after the user has approved it. A plan can be used once, within 10 minutes, and only while the platform is unchanged.`,
  };
  return texts[kind];
}

/** Returns a line such as `roles update(role_id, name?): change single fields of a role`. */
function signatureOf(record: CommandRecord): string {
  const words = parametersOf(record).map(({ name, required }) => (required ? name : `${name}?`));
  return `${record.path}(${words.join(', ')}): ${record.summary}`;
}

/** Returns the schema of a result and its command, or of an error. */
function outputOf(kind: ToolKind, records: readonly CommandRecord[]): NonNullable<Tool['outputSchema']> {
  const text = { type: 'string' };
  // Many commands share a result schema.
  const byResult = groupBy(records, ({ output }) => (output ? answerSchema(jsonSchemaOfResult(output())) : '{}'));
  const planned = { command: text, plan: { type: ['object', 'null'] }, data: { type: 'object' } };
  const results =
    kind === 'plan'
      ? [{ properties: planned, required: Object.keys(planned) }]
      : [...byResult].map(([data, alike]) => ({
          properties: { command: { enum: alike.map(({ path }) => path) }, data: JSON.parse(data) as Schema },
          required: ['command', 'data'],
        }));
  const properties = {
    ...{ notice: text, warnings: { type: 'array', items: text }, exit_code: { type: 'integer' } },
    error: { type: 'object', properties: { code: text, message: text, hint: text }, required: ['code', 'message'] },
  };
  return { type: 'object', properties, ...withDefinitions({ anyOf: [...results, { required: ['error'] }] }) };
}

/** Rules that a masked string may violate. */
const DROPPED = ['minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum', 'default', 'description'];

/** Returns the answer's schema as JSON: 64-bit and masked numbers are strings, and other fields may be added. */
function answerSchema(schema: Schema): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'type' && (value === 'integer' || value === 'number')) return [value, 'string'];
    // A property with the name of a rule has a schema, which is a record. By default, other properties are allowed.
    const isRule = DROPPED.includes(key) && !isRecord(value);
    const isAny = key === 'additionalProperties' && (value === false || JSON.stringify(value) === '{}');
    return isRule || isAny ? undefined : value;
  });
}

const LEAST_SHARED = 90;

/** Moves long repeated schemas to `$defs`, because an assistant receives every tool's schema. */
function withDefinitions(schema: Schema): Schema {
  const counts = new Map<string, number>();
  JSON.stringify(schema, (_key, value: unknown) => {
    const text = isRecord(value) && typeof value['type'] === 'string' ? JSON.stringify(value) : '';
    if (text.length >= LEAST_SHARED) counts.set(text, (counts.get(text) ?? 0) + 1);
    return value;
  });
  const texts = [...counts.keys()].filter((text) => (counts.get(text) ?? 0) > 1);
  const shorten = (whole: unknown): Schema => {
    const reference = (key: string, value: unknown): unknown => {
      const index = key === '' || !isRecord(value) ? -1 : texts.indexOf(JSON.stringify(value));
      return index < 0 ? value : { $ref: `#/$defs/${index}` };
    };
    return JSON.parse(JSON.stringify(whole, reference)) as Schema;
  };
  const $defs = Object.fromEntries(texts.map((text, index) => [index, shorten(JSON.parse(text))]));
  return { ...shorten(schema), ...(texts.length > 0 && { $defs }) };
}
