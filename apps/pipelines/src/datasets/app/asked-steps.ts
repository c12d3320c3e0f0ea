import { rateLimited, remainingDeadlineMs, unavailable } from '@platform-backend/core';
import type { StepReport } from '../../step-engine/domain/step-job.ts';

/** Of one organisation at a time in this process, those that wait among them. */
const MAX_AT_ONCE = 4;
/** Kept of what its caller waits, so that a step that takes too long says so before nobody listens any more. */
const ANSWER_MS = 500;
const MIN_SECONDS = 0.1;

export type AskedSteps = ReturnType<typeof askedSteps>;

/** Steps that somebody waits for: a few of each organisation at once, none of which takes longer than that. */
export function askedSteps(longestSeconds: number) {
  const running = new Map<string, number>();

  /** One deadline: the setting's, or the caller's where that comes first. In tenths of seconds. */
  function secondsLeft(): number {
    const left = Math.floor((remainingDeadlineMs() - ANSWER_MS) / 100) / 10;
    return Math.min(longestSeconds, Math.max(MIN_SECONDS, left));
  }

  /** RATE_LIMITED: the organisation has as many as it may. UNAVAILABLE: it could not be done now, for no fault of its own. */
  return async <Report extends Pick<StepReport, 'outcome' | 'message'>>(
    organisationId: string,
    run: (seconds: number) => Promise<Report>,
  ): Promise<Report> => {
    const others = running.get(organisationId) ?? 0;
    if (others >= MAX_AT_ONCE) throw rateLimited(1);
    running.set(organisationId, others + 1);
    try {
      const report = await run(secondsLeft());
      if (report.outcome === 'ERROR') throw unavailable(new Error(report.message), 1);
      return report;
    } finally {
      const left = (running.get(organisationId) ?? 1) - 1;
      if (left === 0) running.delete(organisationId);
      else running.set(organisationId, left);
    }
  };
}
