// A plan as a file: the diff as comments for humans, a line of JSON for the program, and a digest of both.
//
// `diff --save-plan FILE` calls `writeSavedPlan`. `apply --plan FILE` calls `readSavedPlan` (9) and, after
// `ctx.startWrite`, `requireSameTarget` (6). Then it plans again from `content`. The new hash must equal `plan` (6).
import { hash } from 'node:crypto';
import { sep } from 'node:path';
import * as z from 'zod/mini';
import { parseWith } from '../contract/explain.ts';
import { fail } from '../errors/fail.ts';
import { writeUserFile } from '../kernel/durable.ts';
import { type KnownError, placeAt, usageError } from '../kernel/errors.ts';
import { canonicalJson, stringifyJson, tryJson } from '../kernel/json.ts';
import { realPath } from '../kernel/temporary-file.ts';
import { shellLine } from '../kernel/words.ts';
import { type InputSource, readInput, resolvePath } from './read-input.ts';

const FORMAT = 1;

const COMMANDS = {
  roles: { input: 'roles.yaml', apply: 'roles push' },
  warehouse: { input: 'DIR', apply: 'warehouse apply' },
} as const;

export interface SavedPlan<Content> {
  kind: keyof typeof COMMANDS;
  /** What the plan would change: `{organization, address}` or `{workspace, address}`. */
  target: Readonly<Record<string, string>>;
  /** Hash of the target, the live state and the desired state. */
  plan: string;
  /** Arguments that make `diff` save the plan again. */
  from: readonly string[];
  content: Content;
}

/** Throws usage (2) if the plan would replace an input or a file in an input folder. */
export function checkPlanPath(path: string, inputs: readonly string[], { io: { cwd } }: InputSource): void {
  const full = (one: string): string => realPath(resolvePath(one, cwd));
  const input = inputs.find((one) => `${full(path)}${sep}`.startsWith(`${full(one)}${sep}`));
  if (input !== undefined)
    throw usageError(`--save-plan ${path} would overwrite an input: ${input}.`, 'Pass another file.');
}

/** Writes a plan (0600), with the diff as comments. `drawn` is the diff without colors. */
export function writeSavedPlan(path: string, source: InputSource, saved: SavedPlan<unknown>, drawn: string): void {
  const { content, from, kind, plan, target } = saved;
  const head = [
    `A plan of \`cdpadm ${kind} diff\`. Target: ${targetText(target)}.`,
    '',
    ...drawn.split('\n'),
    '',
    `To apply it, pass this file to \`cdpadm ${COMMANDS[kind].apply} --plan\`. It is valid until the platform changes.`,
    'Do not edit it: the digest in the last line covers every line.',
  ];
  const comments = head.map((line) => `# ${line}`.trimEnd());
  const text = `${comments.join('\n')}\n${stringifyJson({ format: FORMAT, kind, target, plan, from, content })}\n`;
  writeUserFile(resolvePath(path, source.io.cwd), `${text}# sha256 ${hash('sha256', text)}\n`, 0o600);
}

/** Reads a plan. Throws invalid input (9) if the file was changed after it was saved, or is not a plan of this kind. */
export async function readSavedPlan<Content extends z.ZodMiniType>(
  path: string,
  source: InputSource,
  kind: keyof typeof COMMANDS,
  schema: Content,
): Promise<SavedPlan<z.infer<Content>>> {
  const { name, text: read } = await readInput(path, source);
  // Git and editors may convert line breaks.
  const text = read.replaceAll('\r\n', '\n');
  const [, body, json, digest] = /^((?:#[^\n]*\n)*(\{[^\n]*\})\n)# sha256 ([0-9a-f]{64})\n*$/.exec(text) ?? [];
  const damaged = (message: string): KnownError => {
    return fail('plans.damaged', {
      message: `${name} is not a plan that can be applied. Nothing was sent.`,
      issues: [{ file: name, ...placeAt(text, text.trimEnd().lastIndexOf('\n') + 1), path: '', message }],
      hint: { text: 'To save a plan again:', command: diffCommand(kind) },
    });
  };
  if (body === undefined || json === undefined) throw damaged('the file is not in the format of a saved plan');
  if (digest !== hash('sha256', body))
    throw damaged('the digest does not match the file: it changed after it was saved');
  const [words, from] = [z.record(z.string(), z.string()), z.array(z.string())];
  const known = { format: z.literal(FORMAT), kind: z.literal(kind), target: words, plan: z.string(), from };
  const { data: saved } = parseWith(z.object({ ...known, content: schema }), tryJson(json));
  if (!saved) throw damaged(`this is not a plan of \`${kind} diff\`, or another version of the program saved it`);
  return saved as SavedPlan<z.infer<Content>>;
}

/** Throws conflict (6) if the plan was created for another target. */
export function requireSameTarget(saved: SavedPlan<unknown>, target: Readonly<Record<string, string>>): void {
  if (canonicalJson(saved.target) === canonicalJson(target)) return;
  throw fail('plans.other_target', {
    message: `The plan is for ${targetText(saved.target)}, not for ${targetText(target)}. Nothing was sent.`,
    hint: {
      text: 'Use the profile that the plan was created with, or save a plan for this target:',
      command: diffCommand(saved.kind, saved.from),
    },
  });
}

export function diffCommand(kind: keyof typeof COMMANDS, from: readonly string[] = [COMMANDS[kind].input]): string {
  return shellLine(['cdpadm', kind, 'diff', ...from, '--save-plan', 'new.plan']);
}

function targetText(target: Readonly<Record<string, string>>): string {
  return Object.entries({ ...target, ...(target['address'] === 'local' && { address: 'embedded platform' }) })
    .map(([name, value]) => (name === 'address' ? value : `${name} ${value}`))
    .join(', ');
}
