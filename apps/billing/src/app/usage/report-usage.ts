import { DomainError, type Logger } from '@platform/core';
import { billingItself } from '../../domain/acting.ts';
import { periodAt } from '../../domain/usage/client-policy.ts';
import { findPolicy } from './find-policy.ts';
import type { UsageParts } from './usage-parts.ts';

const batch = 200;

/**
 * Shows members what their client groups have used, and alerts them at 50, 80 and 100 %. Replicas may do it at the
 * same time: reports carry a version, and alerts are told once. Answers how many groups were reported.
 */
export const reportUsage = (parts: UsageParts) => {
  const { usage, clientGroups, clock, newId } = parts;
  const policyOf = findPolicy(parts);
  return async (logger: Logger): Promise<number> => {
    let reported = 0;
    for (const { organisationId, clientGroupId } of await usage.unreported(batch)) {
      const by = billingItself(organisationId, newId());
      try {
        const group = await policyOf(by, clientGroupId);
        const at = clock.now();
        const period = periodAt(group, at);
        await usage.report(by, group, period, at, (report) =>
          clientGroups.recordUsage(organisationId, clientGroupId, { ...report, period }, by.requestId),
        );
        reported += 1;
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'not_found') {
          await usage.forgetReports(organisationId, clientGroupId);
          continue;
        }
        // Identity is away for all of them.
        if (error instanceof DomainError && error.kind === 'unavailable') return reported;
        logger.warn({ err: error, clientGroupId }, 'the usage of a client group could not be reported');
      }
    }
    return reported;
  };
};
