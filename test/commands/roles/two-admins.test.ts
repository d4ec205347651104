// Random work of two admins whose reads may be outdated and whose PUT responses may be lost or incomplete. Every change
// on the platform must be in the plan that the command printed, must be intended, and must be reported correctly.
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type FaultProxy, type PlatformAnswer, startFaultProxy } from '../../helpers/fault-proxy.ts';
import { pick, randomFrom } from '../../helpers/random.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';
import { SEED } from '../../helpers/seed.ts';
import { size } from '../../helpers/size.ts';

interface FileRole {
  role_id: string;
  name: string;
  description: string;
  tasks: (string | { task_id: string })[];
}

interface Live {
  roles: FileRole[];
  last_modified_on: string;
}

interface Admin {
  home: RolesHome;
  proxy: FaultProxy;
  /** Edits of the file that were not pushed yet, such as `a.name` or `b.deleted`. */
  edits: Set<string>;
  /** Stamp of the newest manifest that the admin's machine has stored. */
  known: string;
}

const TASKS = ['audiences:view', 'catalog:*', 'rules:view', 'privacy:settings'];
const ROLES = ['a', 'b', 'c', 'd', 'e'].map((role_id) => {
  return { role_id, name: role_id, description: 'd', tasks: [{ task_id: 'rules:view' }] };
});
const PUSHES = ['', ' --no-write-back', ' --allow-delete', ' --allow-delete --no-write-back'];

function taskIds({ tasks }: FileRole): string[] {
  const ids = tasks.map((task) => (typeof task === 'string' ? task : task.task_id));
  return ids.filter((id) => id !== 'user:core').sort();
}

/** Returns the changes as `a.name`, `b.deleted`, `c.created`. */
function changes(before: Live, after: Live): string[] {
  const [old, now] = [before, after].map(({ roles }) => new Map(roles.map((role) => [role.role_id, role])));
  return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap((id) => {
    const [was, is] = [old?.get(id), now?.get(id)];
    if (!was || !is) return [`${id}.${was ? 'deleted' : 'created'}`];
    const fields = (['name', 'description'] as const).filter((field) => was[field] !== is[field]);
    return [...fields, ...(taskIds(was).join() === taskIds(is).join() ? [] : ['tasks'])].map((one) => `${id}.${one}`);
  });
}

/** Returns the line of a plan that announces a change. */
function lineOf(change: string): string {
  const [id = '', what = ''] = change.split('.');
  return { created: `+ create ${id}`, deleted: `- delete ${id}  DELETED` }[what] ?? `~ modify ${id}`;
}

const LOSSES: Record<string, (answer: PlatformAnswer, live: Live) => PlatformAnswer> = {
  'status 500': (answer) => ({ ...answer, status: 500, body: Buffer.from('{"message":"failed"}') }),
  'a missing role': (answer, live) => ({
    ...answer,
    body: Buffer.from(JSON.stringify({ ...live, roles: live.roles.slice(1) })),
  }),
  'no stamp': (answer, { roles }) => ({ ...answer, body: Buffer.from(JSON.stringify({ roles })) }),
};

async function play(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const limits = { roles_per_minute: 100_000 };
  const first = await createRolesHome(undefined, { limits, roles: ROLES });
  const { platform } = first;
  const second = await createRolesHome(platform);
  const history: { text: string; stamp: string }[] = [];
  const steps: string[] = [`seed ${seed}`];
  let serial = 0;

  async function live(): Promise<Live> {
    const { text } = await platform.call('GET', `${platform.accountPath}/roles`);
    const manifest = JSON.parse(text) as Live;
    if (history.at(-1)?.text !== text) history.push({ text, stamp: manifest.last_modified_on });
    return manifest;
  }

  /** Selects at most one fault for the next command of an admin. */
  async function injectFault({ known, proxy }: Admin): Promise<string> {
    const outdated = history.filter(({ stamp }) => stamp < known);
    const kind = below(4);
    const old = kind === 0 && outdated.length > 0 ? pick(outdated, random) : undefined;
    const loss = kind === 1 ? pick(Object.keys(LOSSES), random) : undefined;
    let current = below(3);
    await proxy.begin((_index, { method, target }) => {
      if (!target.endsWith('/roles')) return undefined;
      if (old && method === 'GET' && --current < 0)
        return { name: 'outdated', delivered: true, answer: (answer) => ({ ...answer, body: Buffer.from(old.text) }) };
      if (loss === undefined || method !== 'PUT') return undefined;
      const lose = (answer: PlatformAnswer): PlatformAnswer =>
        answer.status === 200 ? (LOSSES[loss]?.(answer, JSON.parse(answer.body.toString()) as Live) ?? answer) : answer;
      return { name: loss, delivered: true, answer: lose };
    });
    return old ? `a read from ${old.stamp}` : (loss ?? 'no fault');
  }

  /** Runs a command, and checks everything that it changed and reported. */
  async function run(admin: Admin, line: string, intended: ReadonlySet<string>): Promise<number> {
    const before = await live();
    const fault = await injectFault(admin);
    const { code, stdout, stderr } = await admin.home.run(`roles ${line}`);
    await admin.proxy.begin();
    const after = await live();
    const found = changes(before, after);
    steps.push(`${admin.home.folder}: ${line} (${fault}): ${code} ${found.join(' ')}`);
    const context = `${steps.join('\n')}\n${stderr}${stdout}`;
    expect([0, 6, 12], context).toContain(code);
    const plan = stderr.slice(Math.max(0, stderr.lastIndexOf('Planning again')));
    for (const change of found) expect(plan, context).toContain(lineOf(change));
    // An edit of a role that another admin deleted creates the role again, and a created role has all its fields.
    const isMeant = (change: string): boolean =>
      [...intended].some((one) => {
        const isCreated = [one, change].some((text) => text.endsWith('.created'));
        return one === change || (isCreated && one.split('.')[0] === change.split('.')[0]);
      });
    expect(
      found.filter((change) => !isMeant(change)),
      context,
    ).toEqual([]);
    const [, ...counts] = /Done: (\d+) created, (\d+) modified, (\d+) deleted/.exec(stdout) ?? [];
    if (code === 0 && counts.length > 0) {
      const ids = (kind: RegExp): number =>
        new Set(found.filter((change) => kind.test(change)).map((change) => change.split('.')[0])).size;
      expect(counts.map(Number), context).toEqual([ids(/created$/), ids(/\.(?!created|deleted)/), ids(/deleted$/)]);
    }
    if (code === 0) admin.known = after.last_modified_on;
    return code;
  }

  function edit({ edits, home }: Admin): void {
    const file = parse(home.read('roles.yaml')) as Live;
    const role = file.roles.length > 2 ? pick(file.roles, random) : undefined;
    const id = role?.role_id ?? `r${++serial}`;
    const kind = role ? pick(['name', 'description', 'tasks', 'deleted'] as const, random) : 'created';
    if (!role) file.roles.push({ role_id: id, name: id, description: 'd', tasks: [pick(TASKS, random)] });
    else if (kind === 'deleted') file.roles.splice(file.roles.indexOf(role), 1);
    else if (kind === 'tasks') role.tasks = [pick(TASKS, random)];
    else if (kind !== 'created') role[kind] = `Text ${++serial}`;
    edits.add(`${id}.${kind}`);
    steps.push(`${home.folder}: edits ${id}.${kind}`);
    home.write('roles.yaml', stringify(file));
  }

  async function push(admin: Admin, line: string): Promise<void> {
    if ((await run(admin, line, admin.edits)) === 0) admin.edits.clear();
  }

  const acts: ((admin: Admin) => Promise<unknown>)[] = [
    ...[0, 1, 2].map(() => (admin: Admin) => Promise.resolve(edit(admin))),
    ...[0, 1].map(() => (admin: Admin) => push(admin, `push --yes${pick(PUSHES, random)}`)),
    async (admin) => {
      if ((await run(admin, 'diff --save-plan a.plan', new Set())) !== 0) return;
      await push(admin, 'push --plan a.plan --yes --allow-delete');
    },
    (admin) => push(admin, 'pull'),
    async (admin) => {
      await run(admin, 'pull --merge', new Set());
      admin.home.write('roles.yaml', admin.home.read('roles.yaml').replace(/^.*# CONFLICT platform.*\n/gm, ''));
    },
    async (admin) => {
      const id = `c${++serial}`;
      await run(admin, `create ${id} --description d --task rules:view --yes`, new Set([`${id}.created`]));
    },
    async (admin) => {
      const { roles } = await live();
      if (roles.length < 3) return;
      const { role_id: id } = pick(roles, random);
      const line = pick([`delete ${id} --yes`, `update ${id} --description Text${++serial} --yes`], random);
      await run(admin, line, new Set([`${id}.deleted`, `${id}.description`]));
    },
  ];

  const admins: Admin[] = [];
  for (const home of [first, second]) {
    const proxy = await startFaultProxy(Number(new URL(platform.ready.base_url).port));
    Object.assign(home.env, { CDPADM_BASE_URL: proxy.url, CDPADM_AUDIENCE: platform.ready.base_url });
    const admin: Admin = { home, proxy, edits: new Set(), known: '' };
    await run(admin, 'pull', new Set());
    admins.push(admin);
  }
  for (let step = 0; step < 20; step++) {
    if (below(3) === 0) await platform.api.advance(`${1 + below(5)}s`);
    await pick(acts, random)(pick(admins, random));
  }
  for (const { proxy } of admins) await proxy.close();
  await second.close();
  await first.close();
}

it.each(Array.from({ length: size(200, 3, 1) }, (_, round) => SEED + round))(
  'changes only what its plan shows, and reports it correctly (seed %i)',
  play,
);
