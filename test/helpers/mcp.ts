// An assistant: the official SDK's client, connected to the program's MCP server in this process.
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type { Clock } from '../../src/lib/kernel/clock.ts';
import { run } from '../../src/main.ts';
import { createTestIo } from './cli.ts';
import { expect } from 'vitest';

export interface ToolAnswer {
  isError: boolean;
  /** The content as the model reads it. */
  text: string;
  data: unknown;
  error: { code: string; message: string; hint?: string };
  plan: { id: string; expires_at: string } | null;
  command?: string;
  notice: string;
  warnings?: string[];
  exit_code?: number;
}

export interface Assistant {
  client: Client;
  call(name: string, values?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Makes a plan, and returns the arguments of the call that applies it. */
  planned(name: string, values: Record<string, unknown>): Promise<{ command: unknown; plan: string }>;
  /** Sends text to the server unchanged. */
  send(text: string): void;
  /** Everything that the server wrote, one message per line. */
  written(): string;
  stderr(): string;
  /** Aborting it ends the server as a signal would. */
  stop: AbortController;
  /** Closes the server's input and returns its exit code. */
  end(): Promise<number>;
  code: Promise<number>;
}

const compiled = new Map<string, JsonSchemaValidator<unknown>>();

/** The SDK's validator for responses. It compiles each schema once, because compiling takes longer than most tests. */
const keptValidators: jsonSchemaValidator = {
  getValidator: <T>(schema: object) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? new AjvJsonSchemaValidator().getValidator<unknown>(schema);
    compiled.set(key, validate);
    return validate as JsonSchemaValidator<T>;
  },
};

/** Starts `cdpadm mcp` with these flags. */
export async function openAssistant(
  home: { env: Record<string, string>; cwd: string },
  flags: readonly string[] = [],
  clock?: Clock,
): Promise<Assistant> {
  const input = new PassThrough();
  const output = new PassThrough();
  const test = createTestIo({ env: home.env, cwd: home.cwd, stdin: input, ...(clock && { clock }) });
  let written = '';
  const stdout = {
    errored: null,
    write: (chunk: string | Uint8Array, done?: () => void): boolean => {
      written += Buffer.from(chunk).toString();
      return output.write(chunk, done);
    },
  };
  const stop = new AbortController();
  const code = run(['mcp', ...flags], { ...test.io, stdout }, stop);
  const client = new Client({ name: 'test', version: '1.0.0' }, { jsonSchemaValidator: keptValidators });
  // The transport is the same on both sides.
  await client.connect(new StdioServerTransport(output, input));
  // From now on, the client checks each response against its tool's output schema.
  await client.listTools();
  const call = async (name: string, values: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: values });
    const [{ text }] = content as [{ text: string }];
    return { isError: isError === true, text, ...(structuredContent as Omit<ToolAnswer, 'text' | 'isError'>) };
  };
  return {
    client,
    call,
    planned: async (name, values) => {
      const { plan, error } = await call(name, values);
      expect(error).toBeUndefined();
      return { command: values['command'], plan: plan?.id ?? '' };
    },
    send: (text) => void input.write(text),
    written: () => written,
    stderr: test.stderr,
    stop,
    end: () => {
      input.end();
      return code;
    },
    code,
  };
}
