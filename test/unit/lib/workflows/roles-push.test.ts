// Tests the push workflow against a platform with concurrent changes, lost responses and rejections.
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RolesApi } from '../../../../src/lib/api/index.ts';
import { type ManifestReply, type ManifestRequest, CORE_TASK } from '../../../../src/lib/contract/roles.ts';
import { type Manifest, type Role, sameRoles } from '../../../../src/lib/domain/roles/manifest.ts';
import { mergeRoles, wantedRoles } from '../../../../src/lib/domain/roles/merge.ts';
import { exitOf } from '../../../../src/lib/errors/fail.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import {
  type PushIntent,
  type PushOptions,
  type PushPorts,
  pushRoles,
} from '../../../../src/lib/workflows/roles-push.ts';
import { anyRoles } from '../../../helpers/any-roles.ts';
import { failureOf } from '../../../helpers/failure.ts';

function role(role_id: string, ...tasks: string[]): Role {
  return { role_id, name: role_id, description: 'd', tasks: [CORE_TASK, ...tasks].map((task_id) => ({ task_id })) };
}

/** A platform that records its calls. Tests can override the behavior of individual calls. */
class FakePlatform {
  roles: Role[];
  stamp = 1;
  calls: string[] = [];
  /** Called before each call takes effect. If it throws, the call fails and has no effect. */
  before: ((call: string, count: number) => void) | undefined;
  /** Called after a PUT takes effect. If it throws, the response is lost. */
  afterReplace: ((count: number) => void) | undefined;

  /** Returns the roles for the response to a PUT, instead of the stored roles. */
  replyToReplace: ((roles: Role[]) => Role[]) | undefined;

  constructor(...roles: Role[]) {
    this.roles = roles;
  }

  put(roles: Role[]): void {
    this.roles = roles;
    this.stamp++;
  }

  count(call: string): number {
    return this.calls.filter((made) => made === call).length;
  }

  private enter(call: string): void {
    this.calls.push(call);
    this.before?.(call, this.count(call));
  }

  private answer(roles = this.roles): ManifestReply {
    return structuredClone({
      roles,
      last_modified_on: `2026-11-21 08:00:0${this.stamp}`,
      last_modified_by: 'a@platform.example',
    });
  }

  readonly api: RolesApi = {
    listTasks: () => Promise.resolve([{ task_id: 'a:view' }, { task_id: 'b:view' }, { task_id: 'c:*' }]),
    get: async () => {
      await Promise.resolve();
      this.enter('GET');
      return this.answer();
    },
    replace: async (request: ManifestRequest) => {
      await Promise.resolve();
      this.enter('PUT');
      this.put(request.roles);
      this.afterReplace?.(this.count('PUT'));
      return this.answer(this.replyToReplace?.(this.roles));
    },
    describeReplace: (body) => ({ method: 'PUT', url: 'http://platform.example/roles', body }),
    prepareReplace: () => {
      this.calls.push('prepare');
      return Promise.resolve();
    },
  };
}

const lost = (): KnownError => new KnownError({ code: 'http.outcome_unknown', message: 'lost' });
const options: PushOptions = { allowDelete: false, force: false, allowEmpty: false, dryRun: false };
const allowDelete: PushOptions = { ...options, allowDelete: true };

describe('a push', () => {
  let platform: FakePlatform;
  let messages: string[];
  let saved: ManifestReply[];
  let bases: ManifestReply[];
  let newest: string | undefined;
  let acceptsOffers: boolean;
  let confirmations: number;
  let isLocked: boolean;
  let ports: PushPorts;

  beforeEach(() => {
    open(role('one', 'a:view'), role('two', 'a:view'), role('three'));
  });

  /** Resets the platform to these roles, and deletes all messages and saved manifests. */
  function open(...roles: Role[]): void {
    platform = new FakePlatform(...roles);
    messages = [];
    saved = [];
    bases = [];
    newest = undefined;
    acceptsOffers = false;
    confirmations = 0;
    isLocked = false;
    ports = {
      api: platform.api,
      store: {
        saveBase: async (manifest) => void bases.push(manifest),
        newestTime: () => newest,
        saveRevision: ({ manifest }) => {
          platform.calls.push('save');
          saved.push(manifest);
          return `revision-${saved.length}`;
        },
        exclusively: async (work) => {
          isLocked = true;
          return await work().finally(() => (isLocked = false));
        },
      },
      scope: { organization: '1', address: 'http://platform.example' },
      profile: null,
      ctx: {
        prompt: {
          possible: false,
          typed: () => asked(() => undefined),
          ask: () => asked(() => acceptsOffers),
        },
        logFacts: () => undefined,
        startWrite: () => Promise.resolve(),
        confirmWrite: () => asked(() => ++confirmations).then(() => undefined),
        out: { note: (text) => messages.push(text), warn: (text) => messages.push(text) },
        redactor: { text: (text) => text.replaceAll('hunter2', '***') },
        signal: new AbortController().signal,
        flags: { retries: 4 },
      },
      show: () => undefined,
    };
  }

  /** Checks that the lock is not held during a prompt, because other processes would have to wait. */
  function asked<T>(answer: () => T): Promise<T> {
    expect(isLocked).toBe(false);
    return Promise.resolve(answer());
  }

  /** Returns the intent of a user who edited the current manifest. */
  function edit(change: (roles: Role[]) => Role[]): PushIntent {
    const base: Manifest = {
      roles: structuredClone(platform.roles),
      last_modified_on: '2026-11-21 08:00:01',
      last_modified_by: 'a@platform.example',
      extra: {},
    };
    const mine = { ...base, roles: change(structuredClone(base.roles)) };
    return { reason: 'test', want: (live) => wantedRoles(mine, base, live) };
  }

  const addTask = (id: string, task: string) => (roles: Role[]) =>
    roles.map((item) => (item.role_id === id ? role(id, 'a:view', task) : item));

  async function failure(promise: Promise<unknown>): Promise<KnownError> {
    const error = await failureOf(promise);
    expect(error).toBeInstanceOf(KnownError);
    return error as KnownError;
  }

  it('saves the previous manifest, and reads the manifest again just before the PUT', async () => {
    const before = structuredClone(platform.roles);
    const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
    expect(outcome.kind).toBe('applied');
    expect(platform.calls).toEqual(['GET', 'save', 'prepare', 'GET', 'PUT']);
    expect(saved[0]?.roles).toEqual(before);
    expect(bases.at(-1)?.roles).toEqual(platform.roles);
  });

  it('sends nothing if there is no difference, but remembers the manifest unless it is a dry run', async () => {
    const reverse = edit((roles) => roles.toReversed());
    expect((await pushRoles(reverse, { ...options, dryRun: true }, ports)).kind).toBe('unchanged');
    expect(bases).toEqual([]);
    expect((await pushRoles(reverse, options, ports)).kind).toBe('unchanged');
    expect(bases).toHaveLength(1);
    expect(platform.calls).toEqual(['GET', 'GET']);
  });

  it('repeats the plan and the confirmation if the platform changed between the plan and the PUT', async () => {
    platform.before = (call, count) => {
      if (call === 'GET' && count === 2) platform.put([...platform.roles.slice(0, 2), role('three', 'b:view')]);
    };
    const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
    expect(outcome.kind).toBe('applied');
    expect(confirmations).toBe(2);
    expect(platform.count('PUT')).toBe(1);
    expect(platform.roles.map((item) => [item.role_id, item.tasks.length])).toEqual([
      ['one', 3],
      ['two', 2],
      ['three', 2],
    ]);
    expect(outcome.planned.wanted.rebased).toEqual(['three']);
  });

  it('stops if the platform returns an older manifest than the one that this machine stored last', async () => {
    newest = '2026-11-21 08:00:02';
    expect(await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports))).toMatchObject({
      code: 'roles.outdated',
      message: expect.stringContaining('last modified on 2026-11-21 08:00:01 UTC') as string,
    });
    expect(platform.calls).toEqual(['GET']);
  });

  it('stops if the platform returns no stamp, but this machine has stored one', async () => {
    newest = '2026-11-21 08:00:01';
    ports.api = { ...platform.api, get: () => Promise.resolve({ roles: [] }) };
    const intent = edit((roles) => [...roles, role('four')]);
    expect(await failure(pushRoles(intent, options, ports))).toMatchObject({
      code: 'roles.outdated',
      message: expect.stringContaining('a manifest without a stamp') as string,
    });
    expect(platform.count('PUT')).toBe(0);
  });

  it('stops if the second read returns an older manifest than the first', async () => {
    platform.stamp = 2;
    const intent = edit(addTask('one', 'b:view'));
    platform.before = (call, count) => {
      if (call !== 'GET' || count !== 2) return;
      platform.put(platform.roles.slice(1));
      platform.stamp = 1;
    };
    expect(await failure(pushRoles(intent, options, ports))).toMatchObject({ code: 'roles.outdated' });
    expect(platform.count('PUT')).toBe(0);
  });

  describe('a PUT that the client retries', () => {
    /** Calls `meanwhile` during a pause after a first PUT that the platform rejects (429). */
    function rejectFirst(meanwhile: () => void): void {
      const { replace } = ports.api;
      let isFirst = true;
      ports.api = {
        ...ports.api,
        replace: async (request, given) => {
          if (isFirst) {
            isFirst = false;
            meanwhile();
            await given?.beforeRetry?.();
          }
          return replace(request, given);
        },
      };
    }

    it('is planned again if another admin creates a role during the pause, so the role is not deleted', async () => {
      rejectFirst(() => platform.put([...platform.roles, role('theirs')]));
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect(outcome.kind).toBe('applied');
      expect([platform.count('PUT'), confirmations]).toEqual([1, 2]);
      expect(platform.roles.map(({ role_id }) => role_id)).toEqual(['one', 'two', 'three', 'theirs']);
    });

    it('is sent again if the platform has not changed', async () => {
      rejectFirst(() => undefined);
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect([outcome.kind, platform.count('PUT'), confirmations]).toEqual(['applied', 1, 1]);
    });

    it('is not sent again if it took effect despite the rejection', async () => {
      rejectFirst(() => platform.put(addTask('one', 'b:view')(platform.roles)));
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect([outcome.kind, platform.count('PUT'), confirmations]).toEqual(['applied', 0, 1]);
    });
  });

  it('stops if another admin changed the same values', async () => {
    platform.before = (call, count) => {
      if (call === 'GET' && count === 2) platform.put(platform.roles.map((item) => ({ ...item, name: 'theirs' })));
    };
    const error = await failure(
      pushRoles(
        edit((roles) => roles.map((item) => ({ ...item, name: 'mine' }))),
        options,
        ports,
      ),
    );
    expect(error).toMatchObject({ code: 'roles.conflict' });
    expect(error.issues[0]?.message).toContain('theirs');
    expect(platform.count('PUT')).toBe(0);
  });

  it('redacts the values on both sides of a conflict before it truncates them', async () => {
    const long = `${'x'.repeat(395)}hunter2 and so on`;
    platform.before = (call, count) => {
      if (call === 'GET' && count === 2) platform.put(platform.roles.map((item) => ({ ...item, name: long })));
    };
    const intent = edit((roles) => roles.map((item) => ({ ...item, name: 'mine' })));
    const error = await failure(pushRoles(intent, options, ports));
    expect(error.issues[0]?.message).toContain(`the platform's: "${'x'.repeat(395)}*** …; it was`);
  });

  it('stops if the platform changes before every attempt', async () => {
    platform.before = (call) => {
      if (call === 'GET') platform.put([...platform.roles]);
    };
    const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
    expect(error).toMatchObject({ code: 'roles.changing' });
    expect(platform.count('PUT')).toBe(0);
  });

  it('applies a plan only if it matches the expected plan', async () => {
    const intent = edit(addTask('one', 'b:view'));
    const { planned } = await pushRoles(intent, { ...options, dryRun: true }, ports);
    expect(platform.count('PUT')).toBe(0);
    platform.put([...platform.roles, role('four')]);
    const error = await failure(pushRoles(intent, { ...options, expectPlan: planned.plan.plan }, ports));
    expect(error).toMatchObject({ code: 'plans.changed' });
    expect(platform.count('PUT')).toBe(0);
  });

  describe('a lost response', () => {
    it('causes a retry if the write changes only unknown fields and did not arrive', async () => {
      platform.before = (call, count) => {
        if (call === 'PUT' && count === 1) throw lost();
      };
      const intent = edit((roles) => roles.map((item) => ({ ...item, color: 'red' })));
      expect((await pushRoles(intent, options, ports)).kind).toBe('applied');
      expect([platform.count('PUT'), platform.roles[0]?.['color']]).toEqual([2, 'red']);
    });

    it('counts as success, without a retry, if the platform has the desired manifest', async () => {
      platform.afterReplace = () => {
        throw lost();
      };
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect(outcome.kind).toBe('applied');
      expect(platform.count('PUT')).toBe(1);
    });

    it('leads to a retry if the platform still has the old manifest', async () => {
      platform.before = (call, count) => {
        if (call === 'PUT' && count === 1) throw lost();
      };
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect(outcome.kind).toBe('applied');
      expect(platform.count('PUT')).toBe(2);
    });

    it('is reported as a conflict if the platform has neither the old nor the desired manifest', async () => {
      platform.afterReplace = () => {
        platform.put([role('other')]);
        throw lost();
      };
      const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
      expect(error).toMatchObject({ code: 'roles.changed_meanwhile' });
      expect(error.hint).toContain('revision-1');
      expect(platform.count('PUT')).toBe(1);
    });

    it('is reported as an unknown outcome, with a hint to roll back, if the platform cannot be read', async () => {
      platform.before = (call, count) => {
        if (call === 'PUT' || (call === 'GET' && count > 2)) throw lost();
      };
      const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
      expect(error).toMatchObject({ code: 'http.outcome_unknown' });
      expect(error.hint).toContain('revision-1');
    });

    it('makes the push fail if it happens on all three attempts', async () => {
      platform.before = (call) => {
        if (call === 'PUT') throw lost();
      };
      const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
      expect(exitOf(error)).toBe('network');
      expect(platform.count('PUT')).toBe(3);
    });
  });

  describe('a response that differs from the request', () => {
    const REPLIES: Record<string, (roles: Role[]) => Role[]> = {
      'an empty list': () => [],
      'fewer roles': (roles) => roles.slice(1),
      'a truncated description': (roles) => roles.map((item) => ({ ...item, description: '' })),
      'a different name': (roles) => roles.map((item) => ({ ...item, name: 'cut' })),
      'an additional role': (roles) => [...roles, role('stranger')],
      'a missing task': (roles) => roles.map((item) => ({ ...item, tasks: [{ task_id: CORE_TASK }] })),
    };

    it.each(Object.entries(REPLIES))(
      'counts as success if the platform has the manifest that was sent: %s',
      async (_name, change) => {
        platform.replyToReplace = change;
        const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
        expect(outcome.kind).toBe('applied');
        expect(sameRoles(outcome.manifest.roles, platform.roles)).toBe(true);
        expect(bases.at(-1)?.roles).toEqual(platform.roles);
        expect(platform.count('PUT')).toBe(1);
      },
    );

    it.each(Object.entries(REPLIES))(
      'is reported as a conflict if the platform has the same difference: %s',
      async (_name, change) => {
        platform.afterReplace = () => {
          platform.put(change(platform.roles));
        };
        const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
        expect(error).toMatchObject({ code: 'roles.changed_meanwhile' });
        expect(error.issues).not.toEqual([]);
        expect(error.hint).toContain('revision-1');
        expect(bases).toEqual([]);
        expect(platform.count('PUT')).toBe(1);
      },
    );

    it('is reported with every difference between the platform and the request', async () => {
      platform.afterReplace = () => {
        platform.put([role('one', 'a:view'), { ...role('two', 'a:view'), name: 'cut' }, role('new')]);
      };
      const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
      expect(error.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
        'roles.three: sent, but not on the platform',
        'roles.new: on the platform, but not sent',
        'roles.one: differs from what was sent in tasks',
        'roles.two: differs from what was sent in name',
      ]);
    });

    it('is reported as an unknown outcome if the platform cannot be read', async () => {
      platform.replyToReplace = () => [];
      platform.before = (call, count) => {
        if (call === 'GET' && count > 2) throw lost();
      };
      const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
      expect(error).toMatchObject({ code: 'http.outcome_unknown' });
      expect(error.message).toContain(
        'The outcome of the roles PUT is unknown: the response does not confirm the write',
      );
      expect(bases).toEqual([]);
    });

    it('counts as success, without a read, if it differs only in unknown fields', async () => {
      platform.replyToReplace = (roles) => roles.map((item) => ({ ...item, color: 'red' }));
      const outcome = await pushRoles(edit(addTask('one', 'b:view')), options, ports);
      expect(outcome.kind).toBe('applied');
      expect(platform.calls.at(-1)).toBe('PUT');
    });
  });

  describe('a deletion', () => {
    const drop = (id: string) => (roles: Role[]) => roles.filter((item) => item.role_id !== id);

    it('is not allowed without --allow-delete, even in a dry run, which does not prompt', async () => {
      const typed = vi.fn<PushPorts['ctx']['prompt']['typed']>(() => Promise.resolve());
      for (const dryRun of [false, true]) {
        ports.ctx = { ...ports.ctx, prompt: { ...ports.ctx.prompt, possible: dryRun, typed } };
        const error = await failure(pushRoles(edit(drop('two')), { ...options, dryRun }, ports));
        expect(error).toMatchObject({ code: 'roles.guard.delete' });
        expect(error.message).toContain('two');
      }
      expect(typed).not.toHaveBeenCalled();
      expect(platform.count('PUT')).toBe(0);
    });

    it.each([
      { deleted: ['two'], question: 'Type its id to allow it:', expected: 'two' },
      { deleted: ['two', 'three'], question: 'Type the number of deletions to allow them:', expected: '2' },
    ])('asks the user to type $expected if the flag is missing', async ({ deleted, question, expected }) => {
      const typed = vi.fn<PushPorts['ctx']['prompt']['typed']>(() => Promise.resolve());
      ports.ctx = { ...ports.ctx, prompt: { ...ports.ctx.prompt, possible: true, typed } };
      await pushRoles(
        edit((roles) => roles.filter(({ role_id }) => !deleted.includes(role_id))),
        options,
        ports,
      );
      expect(typed.mock.calls).toEqual([[expect.stringContaining(question), expected, { flag: '--allow-delete' }]]);
      expect(platform.roles.map((item) => item.role_id)).not.toEqual(expect.arrayContaining(deleted));
    });

    const assigned = (): KnownError =>
      new KnownError({
        code: 'http.refused',
        message: 'Custom role is assigned to a user and may not be deleted: two',
        status: 400,
      });

    it('is reported as a conflict that names the role if the role is assigned to a user', async () => {
      platform.before = (call) => {
        if (call === 'PUT') throw assigned();
      };
      const error = await failure(pushRoles(edit(drop('two')), allowDelete, ports));
      expect(error).toMatchObject({ code: 'roles.assigned', status: 400 });
      expect(messages.some((text) => text.includes('assigned to a user'))).toBe(true);
    });

    it.each([
      ['is the only change', () => edit(drop('two'))],
      [
        'is part of a rename',
        () => ({ ...edit((roles) => [...drop('two')(roles), { ...role('new'), name: 'two' }]), reason: 'rename' }),
      ],
    ])('fails without an offer to skip it if it %s', async (_why, intent) => {
      acceptsOffers = true;
      ports.ctx = { ...ports.ctx, prompt: { ...ports.ctx.prompt, possible: true } };
      platform.before = (call) => {
        if (call === 'PUT') throw assigned();
      };
      expect(await failure(pushRoles(intent(), allowDelete, ports))).toMatchObject({ code: 'roles.assigned' });
      expect(platform.count('PUT')).toBe(1);
    });

    it('is skipped if the role is assigned and the user agrees, and all other changes are applied', async () => {
      acceptsOffers = true;
      ports.ctx = { ...ports.ctx, prompt: { ...ports.ctx.prompt, possible: true } };
      platform.before = (call, count) => {
        if (call === 'PUT' && count === 1) throw assigned();
      };
      const intent = edit((roles) => addTask('one', 'b:view')(drop('two')(roles)));
      const outcome = await pushRoles(intent, allowDelete, ports);
      expect(outcome.kind).toBe('applied');
      expect(platform.roles.map((item) => item.role_id).sort()).toEqual(['one', 'three', 'two']);
      expect(platform.roles.find((item) => item.role_id === 'one')?.tasks).toHaveLength(3);
    });

    it('sends a role once if the user withdraws its deletion and then keeps what another admin changed', async () => {
      acceptsOffers = true;
      ports.ctx = { ...ports.ctx, prompt: { ...ports.ctx.prompt, possible: true } };
      platform.before = (call, count) => {
        if (call === 'PUT' && count === 1) throw assigned();
        if (call === 'GET' && count === 4) platform.put(addTask('two', 'b:view')(platform.roles));
      };
      // On a terminal, the user answers that the role of the platform stays.
      const withoutTwo = edit((roles) => addTask('one', 'b:view')(drop('two')(roles)));
      const intent: PushIntent = {
        reason: 'test',
        want: async (live, tasks) => {
          const wanted = await withoutTwo.want(live, tasks);
          const kept = live.roles.filter(({ role_id }) => wanted.conflicts.some((one) => one.role_id === role_id));
          return { ...wanted, roles: [...wanted.roles, ...kept], conflicts: [] };
        },
      };
      await pushRoles(intent, allowDelete, ports);
      expect(platform.roles.map((item) => item.role_id).sort()).toEqual(['one', 'three', 'two']);
      expect(platform.roles.find((item) => item.role_id === 'two')?.tasks).toHaveLength(3);
    });
  });

  it('exits with the code for an interruption after Ctrl-C during the read that follows a lost response', async () => {
    const stop = new AbortController();
    ports.ctx.signal = stop.signal;
    platform.afterReplace = () => {
      platform.before = () => {
        const reason = new KnownError({ code: 'interrupted', message: 'Interrupted.' });
        stop.abort(reason);
        throw reason;
      };
      throw lost();
    };
    const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
    expect(error).toMatchObject({ code: 'http.outcome_unknown', exit: 'interrupted' });
    expect(error.message).toMatch(/^The outcome of the roles PUT is unknown: .* and the command was stopped\.$/);
  });

  it('reports after Ctrl-C that nothing changed, unless a write was sent', async () => {
    const stop = new AbortController();
    ports.ctx.signal = stop.signal;
    const reason = new KnownError({ code: 'interrupted', message: 'Interrupted.' });
    platform.before = (call, count) => {
      if (call !== 'GET' || count !== 2) return;
      stop.abort(reason);
      throw reason;
    };
    expect(await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports))).toMatchObject({
      message: 'Interrupted. The platform was not changed.',
      hint: expect.stringContaining('again') as string,
      code: 'interrupted',
    });
    platform.before = undefined;
    platform.afterReplace = () => {
      throw lost();
    };
    const unknown = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
    expect(unknown.message).toContain('unknown');
    expect(unknown.hint).toContain('revision-2');
  });

  function omitStamps(): void {
    const answer = ports.api.replace;
    ports.api = {
      ...ports.api,
      replace: async (request, given) => ({ ...(await answer(request, given)), last_modified_on: null }),
    };
  }

  it('reports a conflict if the read of the stamps shows different roles', async () => {
    omitStamps();
    platform.before = (call, count) => {
      if (call === 'GET' && count === 3) platform.put([role('other')]);
    };
    const error = await failure(pushRoles(edit(addTask('one', 'b:view')), options, ports));
    expect([error.code, bases]).toEqual(['roles.changed_meanwhile', []]);
  });

  it('succeeds even if the stamps cannot be read back', async () => {
    omitStamps();
    platform.before = (call, count) => {
      if (call === 'GET' && count === 3) throw lost();
    };
    expect((await pushRoles(edit(addTask('one', 'b:view')), options, ports)).kind).toBe('applied');
    expect(messages.join('\n')).toContain('stamps could not be read');
  });

  describe('a change that another admin makes at any time', () => {
    const all: PushOptions = { ...options, allowDelete: true, force: true, allowEmpty: true };
    /**
     * The moments at which the other admin changes the roles: before each GET, at the confirmation, and between the
     * last GET and the PUT.
     */
    const MOMENTS = ['first GET', 'question', 'second GET', 'last gap'] as const;

    it('is always detected if it is made before the last GET; if it is made later, a copy of the old manifest remains', async () => {
      let [merged, rejected, overwritten] = [0, 0, 0];
      const race = async (base: Role[], mine: Role[], theirs: Role[], moment: (typeof MOMENTS)[number]) => {
        open(...base);
        const other = { wrote: false };
        const intervene = (): void => {
          if (!other.wrote) platform.put(structuredClone(theirs));
          other.wrote = true;
        };
        const intent = edit(() => structuredClone(mine));
        platform.before = (call, count) => {
          if (call === 'PUT' ? moment === 'last gap' : moment === (count === 1 ? 'first GET' : 'second GET'))
            intervene();
        };
        ports.ctx.confirmWrite = () => {
          if (moment === 'question') intervene();
          return Promise.resolve();
        };
        const outcome = await pushRoles(intent, all, ports).catch((error: unknown) => error as KnownError);
        const expected = mergeRoles(base, mine, theirs);
        if (moment === 'last gap') {
          if (outcome instanceof KnownError || outcome.kind === 'unchanged') return;
          expect(outcome.revision).toBe(`revision-${saved.length}`);
          expect(saved.at(-1)?.roles).toEqual(base);
          overwritten++;
        } else if (outcome instanceof KnownError) {
          expect(outcome).toMatchObject({ code: 'roles.conflict' });
          expect(expected.conflicts).not.toEqual([]);
          expect(platform.count('PUT')).toBe(0);
          rejected++;
        } else {
          // No edit is lost: the platform has the edits of both admins.
          expect(sameRoles(platform.roles, other.wrote ? expected.roles : mine)).toBe(true);
          merged++;
        }
      };
      await fc.assert(fc.asyncProperty(anyRoles, anyRoles, anyRoles, fc.constantFrom(...MOMENTS), race), {
        numRuns: 500,
        seed: 8,
      });
      expect(Math.min(merged, rejected, overwritten)).toBeGreaterThanOrEqual(20);
    });

    it('never causes a deletion that was not allowed, or a PUT without a saved copy', async () => {
      let puts = 0;
      const race = async (base: Role[], mine: Role[], theirs: Role[], [allowed, empty, meddled]: boolean[]) => {
        open(...base);
        const intent = edit(() => structuredClone(mine));
        platform.before = (call, count) => {
          if (meddled === true && call === 'GET' && count === 2) platform.put(structuredClone(theirs));
          if (call !== 'PUT') return;
          puts++;
          expect(platform.calls.slice(-4)).toEqual(['save', 'prepare', 'GET', 'PUT']);
          expect(saved.at(-1)?.roles).toEqual(platform.roles);
        };
        let shown: string[] = [];
        ports.show = ({ plan }) => {
          shown = plan.deleted.map(({ role_id }) => role_id);
        };
        const put = platform.api.replace;
        ports.api = {
          ...platform.api,
          replace: async (request, given) => {
            const current = platform.roles.map(({ role_id }) => role_id);
            const sent = new Set(request.roles.map(({ role_id }) => role_id));
            const deleted = current.filter((id) => !sent.has(id));
            expect(deleted.sort()).toEqual(shown.sort());
            if (allowed !== true) expect(deleted).toEqual([]);
            if (empty !== true && current.length > 0) expect(request.roles).not.toEqual([]);
            return await put(request, given);
          },
        };
        const guards = {
          allowDelete: allowed === true,
          force: true,
          allowEmpty: empty === true,
        };
        await pushRoles(intent, { ...options, ...guards }, ports).catch((error: unknown) => {
          expect(['conflict', 'guard']).toContain(exitOf(error as KnownError));
        });
      };
      await fc.assert(
        fc.asyncProperty(anyRoles, anyRoles, anyRoles, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), race),
        {
          numRuns: 300,
          seed: 9,
        },
      );
      expect(puts).toBeGreaterThan(50);
    });
  });
});
