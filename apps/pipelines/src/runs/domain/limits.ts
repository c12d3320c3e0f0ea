/** So long the engine remembers a finished run; our own record stays. */
export const FINISHED_DAYS = 1;

/** Lines of a step's log, of each attempt. */
export const MAX_LOG_LINES = 2_000;

export const LOG_DAYS = 30;

/** So long a cancelled run may take to end by itself. */
export const CANCELLING_MS = 7_000;
