// A quick look that knows ordinary seeds when it sees them: most of a bulk, in a tenth of the schema's time.
import { SEED_RULES, seedIssues } from '../../contract/seed-rules.ts';
import type { AttributeSeed, SingleSeed } from '../../contract/seeding.ts';
import { isRecord } from '../../kernel/json.ts';

/**
 * True only where `SingleSeed` accepts the value and gives it back as it is; what is spelt in another way, or wrong, is
 * false and left to the schema. `value` comes from `parseJson`.
 */
export function isPlainSeed(value: unknown): value is SingleSeed {
  if (!isRecord(value)) return false;
  let named = false;
  for (const key of Object.keys(value)) {
    const field = value[key];
    switch (key) {
      case 'environment':
        break;
      case 'xpid':
        if (!Number.isSafeInteger(field) || Object.is(field, -0)) return false;
        named = true;
        break;
      case 'identities':
        if (!everyField(field, isIdentity)) return false;
        named ||= Object.keys(field as object).length > 0;
        break;
      case 'calculated_attributes':
        if (!everyField(field, isAttributeSeeds)) return false;
        break;
      case 'user_attributes':
        if (!everyField(field, isUserAttributes)) return false;
        break;
      default:
        return false;
    }
  }
  const { environment, calculated_attributes } = value;
  return (
    named && calculated_attributes !== undefined && (environment === 'production' || environment === 'development')
  );
}

/** The same for the body of the bulk call. */
export function isPlainBulk(value: unknown): value is SingleSeed[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainSeed);
}

function everyField(value: unknown, fits: (field: unknown, key: string) => boolean): boolean {
  if (!isRecord(value)) return false;
  for (const key of Object.keys(value)) if (!fits(value[key], key)) return false;
  return true;
}

/** As many UTF-16 units as there may be characters, so that there are no more of those. */
function isIdentity(value: unknown): boolean {
  return isName(value) && value.length <= 4096;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAttributeSeeds(list: unknown, workspace: string): boolean {
  return workspace !== '' && Array.isArray(list) && list.every(isAttributeSeed);
}

function isAttributeSeed(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 4) return false;
  const { attribute_name, calculation_type, cutoff_date, seed } = value;
  if (!isName(attribute_name) || typeof cutoff_date !== 'string') return false;
  if (typeof calculation_type !== 'string' || !Object.hasOwn(SEED_RULES, calculation_type)) return false;
  return everyField(seed, isSeedForm) && seedIssues(value as unknown as AttributeSeed).length === 0;
}

function isSeedForm(value: unknown, form: string): boolean {
  switch (form) {
    case 'value':
      return true;
    case 'key_value_pairs':
      return isRecord(value);
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return false;
  }
}

function isUserAttributes(list: unknown, workspace: string): boolean {
  return workspace !== '' && Array.isArray(list) && list.every(isUserAttribute);
}

function isUserAttribute(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  return isName(value['attribute_name']) && typeof value['attribute_value'] === 'string';
}
