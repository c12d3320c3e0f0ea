/** So long the engine remembers a finished run; our own record stays. */
export const FINISHED_DAYS = 1;

/** Lines of a step's log, of each attempt. */
export const MAX_LOG_LINES = 2_000;

export const LOG_DAYS = 30;

/** So long it is tried to start a run that a schedule or an event has asked for. */
export const REQUEST_GIVE_UP_MS = 86_400_000;
/** And so often at least, which takes an hour and a half: after an outage of a day nothing is given up at once. */
export const REQUEST_ATTEMPTS = 20;

/** A process that was silent for so long has lost what it had begun. */
export const WORKER_LEASE_MS = 15_000;

/** So long a step may take beyond its limit, for its data on the way; then whoever carries it out is not waited for. */
export const OVERDUE_STEP_GRACE_SECONDS = 300;

/** So long a cancelled run may take to end by itself. */
export const CANCELLING_MS = 7_000;
