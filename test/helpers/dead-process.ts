// A process that does not exist.

/** An id above those that any system gives to a process. */
export const DEAD_PID = 2 ** 31 - 1;
