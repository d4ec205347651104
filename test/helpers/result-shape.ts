// Checks a command's output against the schema of its result.
import { Ajv } from 'ajv';
import type { Command } from 'commander';
import { expect } from 'vitest';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { jsonSchemaOfResult, shapeOf } from '../../src/lib/runtime/output/result-shape.ts';

/** The instance is shared, because each new one first compiles its own schemas. */
const ajv = new Ajv({ allErrors: true, strict: false });

/** Fails if the JSON lacks a required field of the command's schema, or has an unknown field. */
export function expectShape(command: Command, json: string): void {
  const output = helpOf(command)?.output;
  if (!output) throw new Error('the command has no schema of its JSON');
  const schema = jsonSchemaOfResult(output());
  const isValid = ajv.validate(schema, JSON.parse(json));
  expect(isValid ? [] : ajv.errorsText(), `${shapeOf(schema)}\n${json}`).toEqual([]);
}
