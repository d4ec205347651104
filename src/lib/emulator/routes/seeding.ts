// E. Seeding: one user, or many that are accepted or rejected together (specification, E; decisions: D27, D70 to D73).
import type { FieldIssue } from '../../contract/explain.ts';
import { xpidTextIssue } from '../../contract/shared.ts';
import { BulkSeed, seedingEndpoints, SingleSeed } from '../../contract/seeding.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { workspaceOf } from '../platform/auth.ts';
import { badRequest, readIngestBody } from '../profiles/ingest.ts';
import { type Answer, answer, refusal } from '../wire/platform-error.ts';
import { type ProfileChange, profilesMigrations } from '../stores/profiles.ts';

/** Creates the tables of the profiles, which other areas use too. */
export const seedingArea = defineArea({
  name: 'seeding',
  endpoints: seedingEndpoints,
  migrations: profilesMigrations,
  open: openSeeding,
});

function openSeeding({ profiles, ingest, clock, fixtures }: Platform): OpenArea<typeof seedingEndpoints> {
  function accept(read: (body: Buffer) => SingleSeed[]): (request: PlatformRequest<unknown>) => Answer {
    return ({ caller, body }) => {
      const { id } = workspaceOf(caller);
      ingest.admit(id, body.length);
      profiles.apply(changesOf(read(body), id), clock.now());
      return { status: 202 };
    };
  }

  return {
    handlers: {
      set: accept((body) => [readIngestBody(SingleSeed, body)]),
      bulk: accept((body) => readIngestBody(BulkSeed, body)),
    },
    control: {
      'GET /profiles': (_body, query) => {
        const subject = subjectOf(query);
        return answer(
          200,
          fixtures.workspaces.flatMap(({ id }) => profiles.find(id, subject)),
        );
      },
      'GET /counts': () => answer(200, profiles.counts()),
    },
    load: (loaded) => {
      profiles.clear();
      profiles.apply(loaded.profiles, clock.now());
      ingest.clear();
    },
  };
}

/** Throws 400 for attributes of another workspace (decision: D73). */
function changesOf(seeds: readonly SingleSeed[], workspace: number): ProfileChange[] {
  const key = String(workspace);
  const issues = seeds.flatMap((seed, index) => foreignWorkspaces(seed, key, index));
  if (issues.length > 0) throw badRequest(issues, seeds);
  return seeds.map(({ environment, xpid, identities, calculated_attributes, user_attributes }) => ({
    workspace,
    environment,
    ...(xpid === undefined ? { identities } : { xpid }),
    calculated_attributes: calculated_attributes[key],
    user_attributes: attributesOf(user_attributes?.[key]),
  }));
}

function foreignWorkspaces(seed: SingleSeed, key: string, index: number): FieldIssue[] {
  return (['calculated_attributes', 'user_attributes'] as const).flatMap((field) =>
    Object.keys(seed[field] ?? {})
      .filter((workspace) => workspace !== key)
      .map((workspace) => ({
        path: [index, field, workspace, 0],
        message: `workspace ${workspace} is not ${key}, whose credentials these are`,
      })),
  );
}

function attributesOf(list: NonNullable<SingleSeed['user_attributes']>[string] = []): Record<string, string> {
  return Object.fromEntries(list.map(({ attribute_name, attribute_value }) => [attribute_name, attribute_value]));
}

function subjectOf(query: URLSearchParams): { xpid?: bigint; identities: Record<string, string> } {
  const { xpid, ...identities } = Object.fromEntries(query);
  if (query.size === 0) throw refusal(400, 'Bad request: give xpid=… or an identity as TYPE=VALUE');
  if (xpid === undefined) return { identities };
  const issue = xpidTextIssue(xpid);
  if (issue !== undefined) throw refusal(400, `Bad request: xpid ${issue}`);
  return { xpid: BigInt(xpid), identities };
}
