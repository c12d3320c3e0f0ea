/** Cells compute as long as they like: where CPU is scarce, the services that everybody waits for go first. */
export const GUEST_NICENESS = 5;
