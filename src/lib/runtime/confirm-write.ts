// The question before a write: it says where the write goes, and a protected profile must be typed.
import { EXIT } from '../kernel/errors.ts';
import { cleanLine } from '../render/clean.ts';
import type { SettingName, Settings } from '../config/settings.ts';
import type { Context } from './context.ts';

/** Shows the target and asks. Throws CliError: usage (2) or guard (12), as `Prompts` says. */
export async function confirmWrite(ctx: Context, question: string): Promise<void> {
  const settings = await ctx.settings();
  const { profile } = settings;
  ctx.out.show((style) => {
    const lines = targetLines(settings).map(
      ([label, value]) => `${style.dim(label.padEnd(LABEL_WIDTH))}  ${cleanLine(value)}`,
    );
    return lines.join('\n');
  });
  if (!settings.protected || profile === undefined) {
    await ctx.prompt.confirm(question);
    return;
  }
  const name = profile.value;
  await ctx.prompt.typed(`${question} This profile is protected; type its name (${name}):`, name, { exit: EXIT.guard });
}

const SHOWN: readonly [label: string, name: SettingName][] = [
  ['address', 'base_url'],
  ['organization', 'org_id'],
  ['account', 'account_id'],
  ['workspace', 'workspace_id'],
  ['environment', 'environment'],
];
const LABEL_WIDTH = Math.max(...SHOWN.map(([label]) => label.length));

function targetLines(settings: Settings): [string, string][] {
  const { profile } = settings;
  const name = profile === undefined ? 'none, from the environment' : profile.value;
  const known = SHOWN.flatMap(([label, setting]): [string, string][] => {
    const value = settings.get(setting)?.value;
    return value === undefined ? [] : [[label, value]];
  });
  return [['profile', settings.protected ? `${name} (protected)` : name], ...known];
}
