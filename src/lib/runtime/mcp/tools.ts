// The MCP server's tools, generated from the command records: for each area, one to read, one to plan and one to write.
import { groupBy } from '../../kernel/group-by.ts';
import type { Command } from 'commander';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../../kernel/json.ts';
import { type CommandRecord, recordOf } from '../command-line/define-command.ts';
import { resultSchema, type Schema } from '../output/result-shape.ts';
import { parametersOf, schemaOf } from './calls.ts';

export type ToolKind = 'read' | 'plan' | 'write';

export interface AreaTool {
  kind: ToolKind;
  records: ReadonlyMap<string, CommandRecord>;
  definition: Tool;
}

export function toolsOf(root: Command, mayWrite: boolean): AreaTool[] {
  const offered = root.commands.filter((group) => leavesOf(group).some(isOffered));
  return [...groupBy(offered, (group) => group.helpGroup()).values()].flatMap((groups) => {
    const area = groups[0].name().replaceAll('-', '_');
    const commands = groups.flatMap(leavesOf).filter(isOffered);
    const writes = commands.filter((command) => recordOf(command)?.effect === 'write');
    const reads = commands.filter((command) => !writes.includes(command));
    const kinds: [ToolKind, Command[]][] = [
      ['read', reads],
      ['plan', writes],
      ['write', mayWrite ? writes.filter((command) => recordOf(command)?.byPerson !== true) : []],
    ];
    return kinds.flatMap(([kind, of]) => (of.length === 0 ? [] : [toolOf(area, kind, of, mayWrite)]));
  });
}

function leavesOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(leavesOf)];
}

function isOffered(command: Command): boolean {
  const { effect, endless, tool } = recordOf(command) ?? { effect: 'local' };
  return tool !== undefined ? tool !== false : effect !== 'local' && !endless;
}

function toolOf(area: string, kind: ToolKind, commands: readonly Command[], mayWrite: boolean): AreaTool {
  const records = new Map(
    commands.map((command) => [recordOf(command)?.path ?? '', recordOf(command) as CommandRecord]),
  );
  const paths = [...records.keys()];
  const isWrite = kind === 'write';
  const command = { type: 'string', enum: paths };
  const offset = { type: 'integer', description: 'skip the first N items of a list' };
  const known = groupBy([...records.values()].flatMap(parametersOf), ({ name }) => name);
  return {
    kind,
    records,
    definition: {
      name: `${area}_${kind}`,
      description: [
        introduction(area, kind, mayWrite),
        ...(isWrite ? [] : [...records.values()].map(signatureOf)),
      ].join('\n'),
      inputSchema: {
        type: 'object',
        properties: isWrite
          ? { command, plan: { type: 'string', description: `the id of a plan from ${area}_plan` } }
          : {
              command,
              ...(kind === 'read' && { offset }),
              ...Object.fromEntries([...known].map(([name, of]) => [name, schemaOf(of)])),
            },
        required: isWrite ? ['command', 'plan'] : ['command'],
        additionalProperties: false,
      },
      outputSchema: outputOf(kind, commands),
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
function outputOf(kind: ToolKind, commands: readonly Command[]): NonNullable<Tool['outputSchema']> {
  const text = { type: 'string' };
  // Many commands share a result schema.
  const byResult = groupBy(commands, (command) => JSON.stringify(answerSchema(resultSchema(command) ?? {})));
  const planned = { command: text, plan: { type: ['object', 'null'] }, data: { type: 'object' } };
  const results =
    kind === 'plan'
      ? [{ properties: planned, required: Object.keys(planned) }]
      : [...byResult].map(([data, alike]) => ({
          properties: {
            command: { enum: alike.map((command) => recordOf(command)?.path ?? '') },
            data: JSON.parse(data) as Schema,
          },
          required: ['command', 'data'],
        }));
  const properties = {
    ...{ notice: text, warnings: { type: 'array', items: text }, exit_code: { type: 'integer' } },
    error: { type: 'object', properties: { code: text, message: text, hint: text }, required: ['code', 'message'] },
  };
  return { type: 'object', properties, ...withDefinitions({ anyOf: [...results, { required: ['error'] }] }) };
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

/** Schema keys to keep. A masked string may violate any other rule. */
const KEPT = ['anyOf', 'const', 'enum', 'items', 'oneOf', 'properties', 'required', 'type', 'additionalProperties'];

/** Converts the schema of a result to the schema of the answer, in which 64-bit and masked numbers are strings. */
function answerSchema(schema: Schema): Schema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    // By default, other properties are allowed.
    if (!KEPT.includes(key) || (key === 'additionalProperties' && JSON.stringify(value) === '{}')) return [];
    if (value === 'integer' || value === 'number') return [[key, [value, 'string']]];
    if (key === 'properties' && isRecord(value)) {
      return [
        [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, answerSchema(one as Schema)]))],
      ];
    }
    if (Array.isArray(value)) return [[key, value.map((one: unknown) => (isRecord(one) ? answerSchema(one) : one))]];
    return [[key, isRecord(value) ? answerSchema(value) : value]];
  });
  return Object.fromEntries(entries);
}
