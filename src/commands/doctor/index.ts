// `doctor`: checks this installation and suggests a fix for each problem.
import * as z from 'zod/mini';
import { cleanLine } from '../../lib/render/clean.ts';
import { wrapText } from '../../lib/render/width.ts';
import type { ListView } from '../../lib/render/view.ts';
import { checkAreas } from '../../lib/runtime/checks/areas.ts';
import type { Context } from '../../lib/runtime/context.ts';
import {
  checkAddresses,
  checkMachine,
  checkProfile,
  checkSecrets,
  failed,
  type Finding,
  finding,
} from '../../lib/runtime/checks/machine.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

const COLORS = { ok: 'green', failed: 'red', warning: 'yellow', skipped: 'dim' } as const;

const view: ListView<Finding> = {
  kind: 'list',
  columns: [
    { key: 'check', id: true, value: (item) => item.check },
    {
      key: 'status',
      value: (item) => item.status,
      paint: (text, { status }, style) => style[COLORS[status]](text),
    },
    { key: 'detail', uncut: true, value: (item) => item.detail },
    { key: 'fix', rank: 1, whole: true, value: (item) => item.fix },
  ],
  empty: '',
};

export const command = defineCommand({
  path: 'doctor',
  summary: 'check this installation: files, secrets, clock, addresses, credentials',
  effect: 'read',
  calls: 'none',
  columns: view.columns,
  output: () => z.array(finding()),
  notes: [
    'This command changes nothing: it probes each address, requests a token, and makes a harmless call in each area that has one.',
  ],
  examples: ['cdpadm doctor --profile local', 'cdpadm doctor --profile local -o json'],
  exits: { failed: 'at least one check failed' },
  run: async (ctx) => {
    const findings = [...(await checkMachine(ctx)), ...(await findingsFromSettings(ctx))];
    await ctx.out.emit(findings, view);
    printFixes(ctx, findings);
    if (findings.some((item) => item.status === 'failed')) ctx.setExit('failed');
  },
});

/** Prints the fixes after the table on a terminal, because a narrow table omits them. */
function printFixes(ctx: Context, findings: readonly Finding[]): void {
  if (!ctx.io.tty.stdout) return;
  for (const { check, status, detail, fix } of findings) {
    if (fix === undefined) continue;
    ctx.out.show((style, width) => {
      const lines = [...wrapText(cleanLine(detail), width - 2), ...wrapText(cleanLine(`To fix it: ${fix}`), width - 2)];
      return [`\n${style[COLORS[status]](`${check}: ${status}`)}`, ...lines.map((line) => `  ${line}`)].join('\n');
    });
  }
}

/** Runs the checks that need settings. If the settings cannot be resolved, the only finding explains why. */
async function findingsFromSettings(ctx: Context): Promise<Finding[]> {
  try {
    return [
      checkProfile(await ctx.settings()),
      ...(await checkSecrets(ctx)),
      ...(await checkAddresses(ctx)),
      ...(await checkAreas(ctx)).map(({ area, status, detail, error }): Finding => {
        const check = `read ${area}`;
        return error ? failed(check, error) : { check, status: status === 'ok' ? 'ok' : 'skipped', detail };
      }),
    ];
  } catch (error) {
    return [failed('profile', error)];
  }
}
