import type { Clock } from '@platform/core';
import { contentItself } from '../domain/content-itself.ts';
import { purgeReport, restorableMs } from '../domain/reports/report.ts';
import type { Reports } from '../domain/reports/reports.ts';

const roundSize = 100;

/** Ends reports that were deleted for so long that nobody can restore them. Safe to repeat, and for two replicas at once. */
export async function purgeReports(ports: {
  readonly reports: Reports;
  readonly clock: Clock;
  readonly newId: () => string;
}): Promise<void> {
  const { reports, clock, newId } = ports;
  const at = clock.now();
  for (const { organisationId, id } of await reports.deletedBefore(new Date(at.getTime() - restorableMs), roundSize)) {
    await reports.decide(contentItself(organisationId, newId()), id, (report) => purgeReport(report, at));
  }
}
