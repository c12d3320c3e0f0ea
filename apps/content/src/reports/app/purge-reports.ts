import { newId, serviceActorContext, type Clock, type Logger } from '@platform-backend/core';
import { forEachIsolated } from '../../conversations/app/for-each-isolated.ts';
import { purgeReport, restorableMs } from '../domain/report.ts';
import type { Reports } from '../domain/reports.ts';

const roundSize = 100;

export interface PurgePorts {
  readonly reports: Reports;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Ends reports that were deleted for so long that nobody can restore them. Safe to repeat, and for two replicas at once. */
export async function purgeReports({ reports, clock, logger }: PurgePorts, stopping: AbortSignal): Promise<void> {
  const at = clock.now();
  const due = await reports.deletedBefore(new Date(at.getTime() - restorableMs), roundSize);
  await forEachIsolated(
    due,
    ({ organisationId, id }) =>
      reports.update(serviceActorContext('content', organisationId, newId()), id, (report) => purgeReport(report, at)),
    { logger, failure: 'a deleted report could not be ended now', stopping },
  );
}
