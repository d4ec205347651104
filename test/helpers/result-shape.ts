// Holds what a command printed to the shape that its help promises.
import { Ajv } from 'ajv';
import type { Command } from 'commander';
import { expect } from 'vitest';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { closedSchemasOf, shapeTextOf } from '../../src/lib/runtime/output/result-shape.ts';

/** Fails when the JSON lacks a field that the help names, or has one that it does not name. */
export function expectShape(command: Command, json: string): void {
  const help = helpOf(command);
  const shape = help && shapeTextOf(help);
  expect(shape, 'the help says nothing of the JSON').toBeDefined();
  const shapes = closedSchemasOf(help);
  // Words alone: the platform's own answer, a schema.
  if (shapes.length === 0) {
    JSON.parse(json);
    return;
  }
  const ajv = new Ajv({ allErrors: true, strict: false });
  const failures = shapes.map((one) => {
    const validate = ajv.compile(one);
    return validate(JSON.parse(json)) ? undefined : ajv.errorsText(validate.errors);
  });
  expect(failures.includes(undefined) ? [] : failures, `${shape}\n${json}`).toEqual([]);
}
