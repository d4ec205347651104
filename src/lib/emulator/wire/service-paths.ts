// Where a running platform's services are on its one port.

/** Below the platform's address; no path of the specification begins so. */
export const CONTROL_PATH = '/_control';

/** All of a service on one port: only the data subject requests have a path of their own. */
export const SERVICE_PATHS = { base: '', auth: '', dsr: '/v3', seeding: '', identity: '' } as const;
