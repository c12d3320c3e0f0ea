/** Characters of a line of a step's log; the rest is left out. */
export const MAX_LOG_LINE_LENGTH = 2_000;

/** Rows that show why a check failed. */
export const MAX_FAILED_ROWS = 20;
