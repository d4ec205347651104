// A process that does not exist.

/** A process id above the maximum on every system. */
export const DEAD_PID = 2 ** 31 - 1;
