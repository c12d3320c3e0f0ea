import type { Clock } from '@platform/core';
import type { PolicyOfGroup, PolicyPeriod } from '../../domain/usage/client-policy.ts';
import type { UsageCounts, UsageReport } from '../../domain/usage/usage.ts';

/** Client groups as identity keeps them. */
export interface ClientGroupDirectory {
  /** The policy of a group, or of the default group. NOT_FOUND: no such group. UNAVAILABLE: identity is away. */
  policyOf(organisationId: string, clientGroupId: string | null, requestId: string): Promise<PolicyOfGroup>;
  /** Shows members what a group has used; older reports than the last change nothing. NOT_FOUND: no such group. */
  recordUsage(
    organisationId: string,
    clientGroupId: string,
    report: UsageReport & { readonly period: PolicyPeriod },
    requestId: string,
  ): Promise<void>;
}

/** What the use cases of usage work with. */
export interface UsageParts {
  readonly usage: UsageCounts;
  readonly clientGroups: ClientGroupDirectory;
  readonly clock: Clock;
  readonly newId: () => string;
}
