import { DomainError, isUnavailable, newId, type Clock, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { periodAt, type PolicyPeriod } from '../domain/client-policy.ts';
import type { UsageCounts, UsageReport } from '../domain/usage.ts';
import type { PolicyKnowledge } from './client-policies.ts';

const batch = 200;

export interface ReportPorts {
  readonly usage: UsageCounts;
  readonly policyKnowledge: Pick<PolicyKnowledge, 'policyOf'>;
  readonly usageDirectory: UsageDirectory;
  readonly clock: Clock;
}

/** Identity, which shows members what their client groups have used. */
export interface UsageDirectory {
  /** Older reports than the last change nothing. NOT_FOUND: no such group. */
  recordUsage(
    organisationId: string,
    clientGroupId: string,
    report: UsageReport & { readonly period: PolicyPeriod },
    requestId: string,
  ): Promise<void>;
}

/**
 * Shows members what their client groups have used, and alerts them at 50, 80 and 100 %. Replicas may do it at the
 * same time: reports carry a version, and alerts are told once. Answers how many groups were reported.
 */
export async function reportUsage(
  { usage, policyKnowledge, usageDirectory, clock }: ReportPorts,
  logger: Logger,
): Promise<number> {
  let reported = 0;
  for (const { organisationId, clientGroupId } of await usage.unreported(batch)) {
    const by = systemActor(organisationId, newId());
    try {
      const group = await policyKnowledge.policyOf(by, clientGroupId);
      const at = clock.now();
      const period = periodAt(group, at);
      await usage.report(by, group, period, at, (report) =>
        usageDirectory.recordUsage(organisationId, clientGroupId, { ...report, period }, by.requestId),
      );
      reported += 1;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') {
        await usage.forgetReports(organisationId, clientGroupId);
        continue;
      }
      // Identity is away for all of them.
      if (isUnavailable(error)) return reported;
      logger.warn(
        { event: 'usage_report.failed', err: error, clientGroupId },
        'the usage of a client group could not be reported',
      );
    }
  }
  return reported;
}
