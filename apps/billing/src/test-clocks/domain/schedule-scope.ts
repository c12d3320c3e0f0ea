/**
 * Whom a round of a schedule is about: one organisation that has a clock of its own, or all others. Each round goes by one
 * time.
 */
export type ScheduleScope = { readonly only: string } | { readonly except: readonly string[] };

/** All organisations, where none has a clock of its own. */
export const everybody: ScheduleScope = { except: [] };

/** Runs a round for all organisations that go by the real time. */
export type ForRealTime = (round: (scope: ScheduleScope) => Promise<unknown>) => Promise<unknown>;
