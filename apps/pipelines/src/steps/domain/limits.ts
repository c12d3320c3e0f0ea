/** Of one dataset as JSON lines, on its way into a kernel or out of it. */
export const MAX_ROW_BYTES = 64 * 2 ** 20;

/** That one program reads. */
export const MAX_KERNEL_INPUTS = 20;

/** What a CHECK writes its failed rows to. */
export const FAILED_ROWS = 'failed_rows';
