// The question before a write: it says where the write goes, and a protected profile must be typed.
import { EXIT } from '../../kernel/errors.ts';
import { cleanLine } from '../../render/clean.ts';
import type { SettingName, Settings } from '../../config/settings.ts';
import type { Context } from '../context.ts';

/** What is asked, and of which address. */
export interface WriteQuestion {
  question: string;
  /** The setting that the write goes to. */
  address: SettingName;
  /** What has to be typed in place of yes, or come by `--confirm`. */
  typed?: string | undefined;
}

/** Shows the target and asks. Throws CliError: usage (2) or guard (12), as `Prompts` says. */
export async function confirmWrite(ctx: Context, { question, address, typed }: WriteQuestion): Promise<void> {
  const settings = await ctx.settings();
  const { profile } = settings;
  ctx.out.show((style) => {
    const lines = targetLines(settings, address).map(
      ([label, value]) => `${style.dim(label.padEnd(LABEL_WIDTH))}  ${cleanLine(value)}`,
    );
    return lines.join('\n');
  });
  if (typed !== undefined) await ctx.prompt.typed(question, typed);
  if (!settings.protected || profile === undefined) {
    if (typed === undefined) await ctx.prompt.confirm(question);
    return;
  }
  const name = profile.value;
  const asked = typed === undefined ? `${question} ` : '';
  await ctx.prompt.typed(`${asked}This profile is protected; type its name (${name}):`, name, { exit: EXIT.guard });
}

/** Where the writes of an address end up; those with the workspace's credentials know of no organization. */
function shownOf(address: SettingName): [label: string, name: SettingName][] {
  return [
    ['address', address],
    ...(address === 'base_url' ? ORGANIZATION : []),
    ['workspace', 'workspace_id'],
    ['environment', 'environment'],
  ];
}

const ORGANIZATION: readonly [label: string, name: SettingName][] = [
  ['organization', 'org_id'],
  ['account', 'account_id'],
];
const LABEL_WIDTH = Math.max(...ORGANIZATION.map(([label]) => label.length));

function targetLines(settings: Settings, address: SettingName): [string, string][] {
  const { profile } = settings;
  const name = profile === undefined ? 'none, from the environment' : profile.value;
  // Who reads `local` takes the write for a harmless one.
  const isAway = name === 'local' && settings.get(address)?.origin.kind !== 'profile';
  const known = shownOf(address).flatMap(([label, setting]): [string, string][] => {
    const value = settings.get(setting)?.value;
    return value === undefined ? [] : [[label, value]];
  });
  const told = `${name}${settings.protected ? ' (protected)' : ''}${isAway ? ', but another address' : ''}`;
  return [['profile', told], ...known];
}
