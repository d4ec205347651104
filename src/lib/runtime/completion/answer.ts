// The hidden entry point `__complete SHELL …`, which the scripts printed by `cdpadm completion` call.
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import { type TypedWord, readLine, unquote } from './command-line.ts';
import { complete, type Candidate, type Tree } from './complete.ts';
import { createValues } from './sources.ts';

/**
 * Prints the kind (`values`, `values nospace`, `files` or `folders`) and one candidate per line, in the form that the
 * shell needs. `args` are `bash BREAKS NAME LINE`, `fish NAME LINE`, `powershell NAME LINE` or `zsh WORD…`. Does
 * not evaluate the command line or call the platform.
 */
export async function answerCompletion(args: readonly string[], ctx: Context, tree: Tree): Promise<void> {
  const [shell = '', ...rest] = args;
  const typed = typedOf(shell, rest);
  if (!typed) return;
  const { words, current } = typed;
  const { kind, candidates } = await complete(words, current.text, tree, createValues(ctx, host.home(ctx.io.env)));
  const fitting = candidates.filter(({ value }) => value.startsWith(current.text));
  // Do not add a space after `email=`, `env:`, `limits.` or a folder, because the word continues.
  const nospace =
    fitting.length > 0 &&
    fitting.every(({ value }) => /[=:.]$/.test(value) || (value.endsWith('/') && /(?:^|=)file:/.test(value)));
  const lines = [`${kind}${nospace ? ' nospace' : ''}`, ...fitting.map((one) => lineOf(shell, one, current))];
  ctx.io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function typedOf(shell: string, args: readonly string[]): { words: string[]; current: TypedWord } | undefined {
  const [first = '', second = '', third = ''] = args;
  if (shell === 'bash') return readLine(third, second, { breaks: first, hasBackticks: true });
  if (shell === 'fish' || shell === 'powershell') return readLine(second, first);
  if (shell !== 'zsh') return undefined;
  const words = args.map(unquote);
  return { words: words.slice(0, -1), current: { text: words.at(-1) ?? '', quote: '', kept: 0 } };
}

function lineOf(shell: string, { value, description }: Candidate, current: TypedWord): string {
  // A tab or newline would start the next field or candidate.
  const text = description?.replaceAll(/\s+/g, ' ');
  switch (shell) {
    case 'bash':
      return quoteForBash(value.slice(current.kept), current);
    case 'zsh': {
      const escaped = value.replaceAll(/[\\:]/g, '\\$&');
      return text === undefined ? escaped : `${escaped}:${text}`;
    }
    case 'powershell':
      return [/^[\w.=-]+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`, value, text ?? value].join('\t');
    default:
      return text === undefined ? value : `${value}\t${text}`;
  }
}

/** Bash inserts a candidate unchanged, so escape its special characters here. */
function quoteForBash(text: string, { quote }: TypedWord): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{N}_.,:/=@%+-]/gu, '\\$&');
}
