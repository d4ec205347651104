// E and F. Seeding and intake: attributes, events and identities of users (decisions: D27, D29, D70 to D73, D244).
import { type FieldIssue, showPath, valueAt } from '../../contract/explain.ts';
import { xpidTextIssue } from '../../contract/shared.ts';
import { BulkSeed, seedingEndpoints, SingleSeed } from '../../contract/seeding.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { workspaceOf } from '../platform/auth.ts';
import { type Answer, answer, rejection, reject, type PlatformError } from '../wire/platform-error.ts';
import { type ProfileChange, profilesMigrations } from '../stores/profiles.ts';
import type * as z from 'zod/mini';
import { acceptBody, MOST_ERRORS, parseBody } from '../wire/request-body.ts';
import { EventIntake, IdentityIntake, intakeEndpoints } from '../../contract/intake.ts';

/** Returns a 400 response for areas E and F, with `<attribute name>: <error message>` for each issue of `value`. */
function badRequest(issues: readonly FieldIssue[], value: unknown): PlatformError {
  const messages = issues.slice(0, MOST_ERRORS).map((issue) => nameIssue(issue, value));
  return reject({ status: 400, message: 'Bad request' }, messages);
}

/** Parses and checks a body. Ignores unknown fields (decision: D6). Throws 400 if it is invalid. */
function readIngestBody<Schema extends z.ZodMiniType>(schema: Schema, body: Buffer): z.infer<Schema> {
  const value = parseBody(body, (message) => badRequest([{ path: ['body'], message }], undefined));
  return acceptBody(schema, value, (issues) => badRequest(issues, value));
}

/** Returns a message: the attribute with the issue and the path in it, or else the path in the body; and the problem. */
function nameIssue({ path, message }: FieldIssue, value: unknown): string {
  const inUser = typeof path[0] === 'number' ? path.slice(1) : path;
  const attribute = inUser.length > 2 ? attributeAt(value, path.slice(0, path.length - inUser.length + 3)) : undefined;
  if (attribute === undefined) return `${showPath(inUser) || 'body'}: ${message}`;
  const place = showPath(inUser.slice(3));
  return `${attribute}: ${place === '' ? '' : `${place} `}${message}`;
}

function attributeAt(value: unknown, path: readonly (string | number)[]): string | undefined {
  const name = valueAt(value, [...path, 'attribute_name']);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Creates the profile tables, which other areas also use. */
export const seedingArea = defineArea({
  name: 'seeding',
  endpoints: seedingEndpoints,
  migrations: profilesMigrations,
  open: openSeeding,
});

/** Returns a handler that applies the changes in a body. `changesIn` throws 400 for an invalid body. */
function accept(
  { clock, fixtures, intakeRate, profiles }: Platform,
  source: 'seeding' | 'intake',
  changesIn: (body: Buffer, workspace: number) => ProfileChange[],
): (request: PlatformRequest<unknown>) => Answer {
  const { intake_body_bytes: most = Infinity } = fixtures.limits;
  return ({ caller, body }) => {
    const { id } = workspaceOf(caller);
    if (body.length > most) throw rejection(413, `Request body is larger than ${most} bytes`);
    intakeRate.admit(id);
    profiles.apply(changesIn(body, id), clock.now(), source);
    return { status: 202 };
  };
}

function openSeeding(platform: Platform): OpenArea<typeof seedingEndpoints> {
  const { clock, fixtures, intakeRate, names, profiles } = platform;
  return {
    handlers: {
      set: accept(platform, 'seeding', (body, id) => changesOf([readIngestBody(SingleSeed, body)], id)),
      bulk: accept(platform, 'seeding', (body, id) => changesOf(readIngestBody(BulkSeed, body), id)),
    },
    control: {
      'GET /profiles': (_body, query) => {
        if (query.size === 0) throw rejection(400, 'Bad request: pass xpid=… or an identity as TYPE=VALUE');
        const given = Object.fromEntries([...query].map(([type, value]) => [names.fromEither(type), value]));
        const subject = subjectIn([], undefined, given);
        return answer(
          200,
          fixtures.workspaces.flatMap(({ id }) => profiles.find(id, subject)),
        );
      },
      'GET /counts': () => answer(200, profiles.counts()),
    },
    load: (loaded) => {
      profiles.clear();
      profiles.apply(loaded.profiles, clock.now(), 'fixtures');
      intakeRate.clear();
    },
  };
}

/** Returns the changes to profiles. Throws 400 for attributes that belong to another workspace (decision: D73). */
function changesOf(seeds: readonly SingleSeed[], workspace: number): ProfileChange[] {
  const key = String(workspace);
  const issues = seeds.flatMap((seed, index) =>
    (['calculated_attributes', 'user_attributes'] as const).flatMap((field) =>
      Object.entries<readonly unknown[]>(seed[field] ?? {})
        .filter(([workspace]) => workspace !== key)
        .map(([workspace, list]) => ({
          path: [index, field, workspace, ...list.slice(0, 1).map(() => 0)],
          message: `the credentials belong to workspace ${key}, not to ${workspace}`,
        })),
    ),
  );
  if (issues.length > 0) throw badRequest(issues, seeds);
  return seeds.map(({ environment, xpid: own, identities: named, calculated_attributes, user_attributes }, index) => {
    const { xpid, identities } = subjectIn([index, 'identities'], own, named);
    return {
      workspace,
      environment,
      ...(xpid === undefined ? { identities } : { xpid }),
      calculated_attributes: calculated_attributes[key],
      user_attributes: attributesOf(user_attributes?.[key]),
    };
  });
}

/** An `xpid` among the identities has the same effect as the field (decision: D70). Throws 400 if it is invalid. */
function subjectIn(path: FieldIssue['path'], xpid: number | bigint | undefined, given: Record<string, string> = {}) {
  const { xpid: named, ...identities } = given;
  if (named === undefined) return { xpid, identities };
  const message = xpidTextIssue(named);
  if (message !== undefined) throw badRequest([{ path: [...path, 'xpid'], message }], undefined);
  return { xpid: xpid ?? BigInt(named), identities };
}

function attributesOf(list: NonNullable<SingleSeed['user_attributes']>[string] = []): Record<string, string> {
  return Object.fromEntries(list.map(({ attribute_name, attribute_value }) => [attribute_name, attribute_value]));
}

/** Stores events, identities and attributes in the profiles. The seeding area creates the profile tables. */
export const intakeArea = defineArea({
  name: 'intake',
  endpoints: intakeEndpoints,
  migrations: [],
  open: (platform) => ({
    handlers: {
      event: accept(platform, 'intake', (body, workspace) => {
        const intake = readIngestBody(EventIntake, body);
        const { ip, timestamp_unixtime_ms } = intake;
        // These fields of the body apply to each event in it.
        const about = {
          ...(ip !== undefined && { ip }),
          ...(timestamp_unixtime_ms !== undefined && { timestamp_unixtime_ms }),
        };
        const events = intake.events?.map((event) => ({ ...event, ...about }));
        return [{ ...changeOf(intake, workspace), events }];
      }),
      identify: accept(platform, 'intake', (body, workspace) => {
        return [changeOf(readIngestBody(IdentityIntake, body), workspace)];
      }),
    },
  }),
});

const changeOf = (body: IdentityIntake, workspace: number): ProfileChange => ({
  workspace,
  environment: body.environment,
  ...subjectIn(['user_identities'], body.xpid, body.user_identities),
  user_attributes: body.user_attributes,
});
