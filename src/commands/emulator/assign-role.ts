// `emulator assign-role`: assigns a role to a user, as an admin does in the platform's user interface.
import { type infer as Infer, number, object, string } from 'zod/mini';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { controlCalls } from '../../lib/runtime/emulator/control.ts';
import { change, portFlag } from './control.ts';

type Assignment = Infer<ReturnType<typeof assignmentResult>>;

function assignmentResult() {
  return object({ role_id: string(), user: string(), org_id: number() });
}

const view: RecordView<Assignment> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: ({ role_id }) => role_id },
    { key: 'user', value: ({ user }) => user },
  ],
};

export const assignRole = defineCommand({
  path: 'emulator assign-role',
  summary: 'assign a role to a user, which prevents its deletion',
  effect: 'local',
  calls: 'emulator',
  args: { role_id: { help: 'id of a role in the manifest' } },
  flags: { user: { value: 'email', help: 'email address of the user', required: true }, ...portFlag },
  columns: view.columns,
  output: assignmentResult,
  examples: [
    'cdpadm emulator assign-role read-only-role --user ann@example.com',
    'cdpadm emulator assign-role read-only-role --user ann@example.com --dry-run',
  ],
  exits: { notFound: 'the role does not exist, or no embedded platform is running' },
  run: async (ctx, { args: { role_id }, flags }) => {
    const made = await change(ctx, flags, controlCalls.assignRole(role_id, flags.user));
    if (made !== undefined) await ctx.out.emit(made, view);
  },
});
