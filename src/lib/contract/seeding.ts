// Calculated attribute seeding: one user's body, the bulk array, and their two calls (specification, "E. Seeding").
import * as z from 'zod/mini';
import { endpoints, type NameMark } from './endpoint.ts';
import { SEED_RULES, seedIssues, seedSchema } from './seed-rules.ts';
import { Environment, Identities, namesUser, oneFieldOf, rule, textWhere, Xpid } from './shared.ts';

/** Both spellings of minimum and maximum are accepted and sent unchanged (decision: D27). */
export type CalculationType = keyof typeof SEED_RULES;
export const CALCULATION_TYPES = Object.keys(SEED_RULES) as CalculationType[];

const Name = textWhere((text) => (text === '' ? 'is empty' : undefined), { minLength: 1 });

/** `seed-rules.ts` checks the form and the content, because they depend on the calculation type. */
const SeedForm = z
  .strictObject({
    value: z.optional(z.unknown()),
    key_value_pairs: z.optional(z.record(z.string(), z.unknown())),
    list: z.optional(z.array(z.string())),
  })
  .register(z.globalRegistry, { minProperties: 1, maxProperties: 1 });

/** One attribute in the input. `cutoff_date` may also be spelled with a double t (decision: D27). */
const WrittenAttributeSeed = z
  .strictObject({
    attribute_name: Name,
    calculation_type: z.enum(CALCULATION_TYPES),
    cutoff_date: z.optional(z.string().register(z.globalRegistry, { format: 'date' })),
    cuttoff_date: z.optional(z.string().register(z.globalRegistry, { format: 'date' })),
    seed: SeedForm,
  })
  .check(rule(seedIssues))
  .register(z.globalRegistry, {
    oneOf: [{ required: ['cutoff_date'] }, { required: ['cuttoff_date'] }],
    allOf: CALCULATION_TYPES.map((type) => ({
      if: { properties: { calculation_type: { const: type } } },
      then: { properties: { seed: { type: 'object', required: [SEED_RULES[type].form], ...seedSchema(type) } } },
    })),
  });

/** One attribute in a request, with `cutoff_date` spelled as in the examples. Events before that date are ignored. */
export const AttributeSeed = z.pipe(
  WrittenAttributeSeed,
  z.transform(({ attribute_name, calculation_type, cutoff_date, cuttoff_date, seed }) => ({
    attribute_name,
    calculation_type,
    cutoff_date: cutoff_date ?? cuttoff_date ?? '',
    seed,
  })),
);
export type AttributeSeed = z.infer<typeof AttributeSeed>;

export const UserAttribute = z.strictObject({ attribute_name: Name, attribute_value: z.string() });

/** The body for one user. The keys of both attribute maps are workspace ids. */
export const SingleSeed = z
  .strictObject({
    environment: Environment,
    /** If `xpid` is present, the platform ignores `identities`. */
    xpid: z.optional(Xpid),
    identities: z.optional(Identities),
    calculated_attributes: z.record(Name, z.array(AttributeSeed)),
    user_attributes: z.optional(z.record(Name, z.array(UserAttribute))),
  })
  .check(namesUser('identities', 'needs `xpid`, or `identities` with at least one identity'))
  .register(z.globalRegistry, oneFieldOf(['xpid'], ['identities']));
export type SingleSeed = z.infer<typeof SingleSeed>;

/** The body of the bulk call. The platform accepts or rejects the body as a whole. */
export const BulkSeed = z.array(SingleSeed).check(z.minLength(1, { error: 'contains no user' }));

/** Deployment-specific names in one user's body. */
export const SEED_NAMES: readonly NameMark[] = ['keys:', 'keys:identities'];

export const seedingEndpoints = endpoints('seeding', 'seeding', 'seeding-basic', {
  set: {
    method: 'POST',
    path: '/v2/calculatedattributes',
    fails: [503],
    status: 202,
    body: SingleSeed,
    safety: 'repeat',
    names: { body: SEED_NAMES },
  },
  bulk: {
    method: 'POST',
    path: '/v2/bulkcalculatedattributes',
    fails: [503],
    status: 202,
    body: BulkSeed,
    safety: 'repeat',
    names: { body: ['keys:[]', 'keys:[].identities'] },
  },
});
