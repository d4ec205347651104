// The MCP server's tools, generated from the command records: for each area, one to read, one to plan and one to write.
import { groupBy } from '../../kernel/group-by.ts';
import type { Command } from 'commander';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { type CommandRecord, recordOf } from '../command-line/define-command.ts';
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
