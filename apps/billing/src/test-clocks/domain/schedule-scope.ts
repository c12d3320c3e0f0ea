import type { RoundRobin } from '@platform-backend/core';

/**
 * Whom a round of a schedule is about: one organisation that has a clock of its own, or all others. Each round goes by one
 * time.
 */
export type ScheduleScope = { readonly only: string } | { readonly except: readonly string[] };

/** All organisations, where none has a clock of its own. */
export const everybody: ScheduleScope = { except: [] };

/** Organisations of which something is due, in turn; one that has a clock of its own is asked besides. */
export const dueInTurn = <Due>(
  turns: RoundRobin,
  scope: ScheduleScope,
  limit: number,
  list: (after: string) => Promise<readonly Due[]>,
  organisationOf: (due: Due) => string,
): Promise<readonly Due[]> => ('only' in scope ? list('') : turns.next(limit, list, organisationOf));

/** Runs a round for all organisations that go by the real time. */
export type ForRealTime = (round: (scope: ScheduleScope) => Promise<unknown>) => Promise<unknown>;
