// The paths of the platform's services on its port.

/** Path relative to the platform's address. No path in the specification starts with it. */
export const CONTROL_PATH = '/_control';

/** Only data subject requests have a path prefix of their own. */
export const SERVICE_PATHS = { base: '', auth: '', dsr: '/v3', seeding: '', identity: '' } as const;
