// Identity types: their names in data subject requests, and their internal types (specification, C and E).

/** Request identity type -> internal type. The last two are spellings of the same identity (decision: D52). */
export const REQUEST_IDENTITY_TYPES = {
  controller_customer_id: 'customer_id',
  email: 'email',
  osa_advertising_id: 'osa_advertising_id',
  osa_id: 'osa_uuid',
  osc_advertising_id: 'osc_advertising_id',
  osb_advertising_id: 'osb_advertising_id',
  osb_vendor_id: 'osb_idfv',
  osd_advertising_id: 'osd_advertising_id',
  osd_publisher_id: 'osd_publisher_id',
  ose_advertising_id: 'ose_advertising_id',
  ose_publisher_id: 'ose_publishing_id',
  ose_publishing_id: 'ose_publishing_id',
} as const satisfies Record<string, string>;

export const EXTENSION_IDENTITY_TYPES = [
  'xpid',
  'other',
  'other2',
  'other3',
  'other4',
  'other5',
  'other6',
  'other7',
  'other8',
  'other9',
  'other10',
  'mobile_number',
  'phone_number_2',
  'phone_number_3',
] as const;

/** Identity types of a device or app installation, not of a person. */
export const DEVICE_IDENTITY_TYPES: ReadonlySet<string> = new Set([
  ...Object.entries(REQUEST_IDENTITY_TYPES)
    .flat()
    .filter((type) => type.startsWith('os')),
  'osf_advertising_id',
]);

/** Numbered like the extension's `other2` to `other10`, in the spelling of the seeding examples (`other_id_4`). */
const OTHER_IDS = ['other_id', ...Array.from({ length: 9 }, (_, index) => `other_id_${index + 2}`)];

/** Identity types of seeding and intake bodies, in every spelling used in the specification (decision: D242). */
export const USER_IDENTITY_TYPES: ReadonlySet<string> = new Set([
  ...Object.entries(REQUEST_IDENTITY_TYPES).flat(),
  ...EXTENSION_IDENTITY_TYPES.filter((type) => type !== 'xpid'),
  ...DEVICE_IDENTITY_TYPES,
  ...OTHER_IDS,
]);

/** Identities that people know about themselves, and therefore the most frequent ones in requests. */
const PERSONAL_TYPES = ['email', 'controller_customer_id', 'mobile_number', 'phone_number_2', 'phone_number_3'];

/** Sorts types for a prompt: personal types, types only the platform knows, devices, other extension types, `xpid`. */
export function inOfferedOrder(types: readonly string[]): string[] {
  return [...types].sort((a, b) => offeredRank(a) - offeredRank(b));
}

function offeredRank(type: string): number {
  const personal = PERSONAL_TYPES.indexOf(type);
  if (personal >= 0) return personal;
  const groups = [DEVICE_IDENTITY_TYPES, new Set<string>(EXTENSION_IDENTITY_TYPES.slice(1)), new Set(['xpid'])];
  const group = groups.findIndex((one) => one.has(type));
  return PERSONAL_TYPES.length + 1 + group;
}

/** Maps each spelling to its type, so that an erasure finds seeded users. Returns any other name unchanged. */
export function internalIdentityType(name: string): string {
  if (Object.hasOwn(REQUEST_IDENTITY_TYPES, name)) {
    return REQUEST_IDENTITY_TYPES[name as keyof typeof REQUEST_IDENTITY_TYPES];
  }
  const numbered = /^other_id(?:_(\d+))?$/.exec(name);
  return numbered ? `other${numbered[1] ?? ''}` : name;
}
