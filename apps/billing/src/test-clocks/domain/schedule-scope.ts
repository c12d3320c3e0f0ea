import type { Clock, RoundRobin } from '@platform-backend/core';

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
export type ForRealTime = <Answer>(round: (scope: ScheduleScope) => Promise<Answer>) => Promise<Answer>;

/** How long a job of the real time may rest: in how many milliseconds the first of what it looks at is due; undefined: nothing is. */
export const untilFirstDue =
  (
    { forRealTime, clock }: { readonly forRealTime: ForRealTime; readonly clock: Clock },
    firstDueAt: (scope: ScheduleScope) => Promise<Date | null>,
  ) =>
  async (): Promise<number | undefined> => {
    const at = await forRealTime(firstDueAt);
    return at === null ? undefined : at.getTime() - clock.now().getTime();
  };

/** The first of these moments; null where there is none. */
export const earliest = (...moments: readonly (Date | null)[]): Date | null =>
  moments.reduce((first, one) => (first === null || (one !== null && one < first) ? one : first), null);
