const minPauseMs = 5_000;

/**
 * When something is tried again that has not come about since a moment: after about as long as it has been tried, so that an outage of
 * hours is not met by thousands of attempts; not before 5 s, and after `maxPauseMs` at the latest.
 */
export function nextRetryAt(triedSince: Date, at: Date, maxPauseMs: number): Date {
  const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, at.getTime() - triedSince.getTime()));
  return new Date(at.getTime() + pauseMs);
}
