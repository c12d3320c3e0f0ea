/** After so many failures in a row a schedule is paused. */
const MAX_FAILURES = 5;

/** What has a schedule, as far as that pauses itself. */
export interface PausingSchedule {
  readonly scheduleEnabled: boolean;
  /** Why its schedule was paused without anybody asking for it. */
  readonly pausedReason: string | null;
  /** How often it has failed since the last time that it did not. */
  readonly failuresInRow: number;
}

/** Counts how something that was scheduled has ended, and pauses the schedule after too many that failed one after the other. */
export function countEnd<Owner extends PausingSchedule>(owner: Owner, hasSucceeded: boolean, ofWhat: string): Owner {
  const failuresInRow = hasSucceeded ? 0 : owner.failuresInRow + 1;
  if (failuresInRow === owner.failuresInRow) return owner;
  if (failuresInRow < MAX_FAILURES || !owner.scheduleEnabled) return { ...owner, failuresInRow };
  const pausedReason = `${failuresInRow} ${ofWhat} failed one after the other`;
  return { ...owner, failuresInRow, scheduleEnabled: false, pausedReason };
}

/** What went wrong before counts no more once somebody has enabled the schedule again. */
export const enabledAnew = <Owner extends PausingSchedule>(before: PausingSchedule, next: Owner): Owner =>
  next.scheduleEnabled && !before.scheduleEnabled ? { ...next, pausedReason: null, failuresInRow: 0 } : next;
