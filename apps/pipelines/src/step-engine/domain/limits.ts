/** Characters of a line of a step's log; the rest is left out. */
export const MAX_LOG_LINE_LENGTH = 2_000;

/** Rows that show why a check failed. */
export const MAX_FAILED_ROWS = 20;

/** Of files that an engine may use for what does not fit into its memory. */
export const SPILL_BYTES = 8_000_000_000;

/** Of each file that a process of steps writes, whatever it is for. */
export const MAX_FILE_BYTES = SPILL_BYTES;
