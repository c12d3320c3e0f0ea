import type { ActorContext, Clock, Page, PageRequest } from '@platform-backend/core';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { periodAt } from '../domain/client-policy.ts';
import { daysBeginningWithin, hoursBeginningWithin } from '../domain/days.ts';
import { hoursKeptDays, requireFewHours, shownHours } from '../domain/usage-hours.ts';
import type { QuotaLease, UsageCounts, UsageFilter, UsageGrouping, UsageRecord, UsageRow } from '../domain/usage.ts';
import type { PolicyKnowledge } from './client-policies.ts';

export interface UsagePorts {
  readonly usage: UsageCounts;
  readonly policyKnowledge: Pick<PolicyKnowledge, 'policyOf'>;
  readonly clock: Clock;
}

export interface UsageInput extends UsageFilter {
  readonly groupBy: UsageGrouping | 'hour';
  readonly after: Date | null;
  readonly before: Date | null;
}

export interface LeaseRequest {
  readonly leaseId: string;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly requested: number;
  readonly last: { readonly id: string; readonly used: number } | null;
}

const defaultDays = 30;
const defaultHours = 24;

/** Short, so that what an idle gateway holds is soon free for the others, and a changed policy soon known. */
const leaseMs = 10_000;

/** What can be done with usage and quotas. */
export const usageUseCases = ({ usage, policyKnowledge, clock }: UsagePorts) => ({
  /**
   * Usage in whole UTC days or hours: those that begin within the stretch asked for, or else the last 30 days or 24 hours.
   * INVALID: more hours than are shown.
   */
  async getUsage(organisationId: string, wanted: UsageInput, page: PageRequest): Promise<Page<UsageRow>> {
    const { after, before, groupBy, ...filter } = wanted;
    const now = clock.now();
    const end = before ?? now;
    if (groupBy === 'hour') {
      const asked = hoursBeginningWithin(after ?? daysAfter(end, -defaultHours / 24), end);
      requireFewHours(asked);
      return usage.listHours(organisationId, { ...filter, ...shownHours(asked, now) }, page);
    }
    const start = after ?? daysAfter(end, -defaultDays);
    return usage.list(organisationId, { ...filter, groupBy, ...daysBeginningWithin(start, end) }, page);
  },

  /**
   * Hands out requests of a client group's policy. Repeating it is safe. Leases are rare enough to ask identity each
   * time, so a changed policy holds from the next lease on.
   */
  async leaseQuota(by: ActorContext, { leaseId: id, clientGroupId, ...request }: LeaseRequest): Promise<QuotaLease> {
    const group = await policyKnowledge.policyOf(by, clientGroupId);
    const at = clock.now();
    const expiresAt = new Date(at.getTime() + leaseMs);
    return usage.lease(by, { ...request, id, group, period: periodAt(group, at), expiresAt }, at);
  },

  /** Counts what services did; each record once, however often it comes. */
  recordUsage: (by: ActorContext, records: readonly UsageRecord[]): Promise<void> =>
    usage.record(by, records, clock.now()),

  /** Removes hours that are shown no longer. */
  forgetOldHours: (): Promise<number> => usage.forgetHours(daysAfter(clock.now(), -hoursKeptDays)),
});

export type UsageUseCases = ReturnType<typeof usageUseCases>;
