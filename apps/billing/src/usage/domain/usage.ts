import type { ActorContext, Page, PageRequest } from '@platform-backend/core';
import type { PolicyOfGroup, PolicyPeriod } from './client-policy.ts';
import type { HourRange } from './days.ts';
import type { PeriodUsage, QuotaGrant } from './quota.ts';

export type UsageGrouping = 'day' | 'client_group' | 'api_key' | 'member';

/** Of whom usage is asked for; null: of all. */
export interface UsageFilter {
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  /** The user for whom work was done. */
  readonly memberId: string | null;
}

export interface UsageQuestion extends UsageFilter {
  readonly groupBy: UsageGrouping;
  /** UTC days, both within. */
  readonly firstDay: string;
  readonly lastDay: string;
}

export interface UsageRow {
  /** The day, hour, group, key or member; null for what belongs to none. */
  readonly key: string | null;
  readonly requests: bigint;
  readonly aiCredits: bigint;
  readonly infrastructureCredits: bigint;
}

export interface UsageRecord {
  /** Chosen by who reports; counted once. */
  readonly id: string;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly requests: bigint;
  readonly occurredAt: Date;
}

export interface LeaseInput {
  readonly id: string;
  readonly group: PolicyOfGroup;
  readonly period: PolicyPeriod;
  readonly apiKeyId: string | null;
  readonly requested: number;
  readonly last: { readonly id: string; readonly used: number } | null;
  readonly expiresAt: Date;
}

export interface QuotaLease extends QuotaGrant {
  readonly id: string;
  readonly clientGroupId: string;
  readonly expiresAt: Date;
  /** When the period ends; null without a policy. */
  readonly resetsAt: Date | null;
}

export interface GroupToReport {
  readonly organisationId: string;
  readonly clientGroupId: string;
}

export interface UsageReport {
  readonly usage: PeriodUsage;
  /** Grows with every change of what is counted. */
  readonly version: bigint;
}

/** Where usage is counted and quotas are handed out. */
export interface UsageCounts {
  list(organisationId: string, question: UsageQuestion, page: PageRequest): Promise<Page<UsageRow>>;
  /** By UTC hour, newest first; hours in which nothing was used are left out. */
  listHours(organisationId: string, hours: HourRange & UsageFilter, page: PageRequest): Promise<Page<UsageRow>>;
  /** Counts each record once, however often it comes. */
  record(by: ActorContext, records: readonly UsageRecord[], at: Date): Promise<void>;
  /** Hands out requests under the lock of the group's period; a lease that is known is answered as it was. */
  lease(by: ActorContext, wanted: LeaseInput, at: Date): Promise<QuotaLease>;
  /** Groups with usage that identity has not been told of. */
  unreported(limit: number): Promise<readonly GroupToReport[]>;
  /** Tells `send` what a group has used, alerts members where it is due, and remembers that it was told. */
  report(
    by: ActorContext,
    group: PolicyOfGroup,
    period: PolicyPeriod,
    at: Date,
    send: (report: UsageReport) => Promise<void>,
  ): Promise<void>;
  /** Removes what was counted for hours before this one, of all organisations; how much it was. */
  forgetHours(before: Date): Promise<number>;
  /** Groups that identity does not know any more need no report. */
  forgetReports(organisationId: string, clientGroupId: string): Promise<void>;
}
