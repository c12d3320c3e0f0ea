import { daysAfter, dayOf, daysBeginningWithin, startOfDay } from '../../domain/days.ts';
import type { Page, PageRequest } from '@platform/core';
import type { UsageQuestion, UsageRow } from '../../domain/usage/usage.ts';
import type { UsageParts } from './usage-parts.ts';

export interface WantedUsage extends Pick<UsageQuestion, 'groupBy' | 'clientGroupId' | 'apiKeyId'> {
  readonly after: Date | null;
  readonly before: Date | null;
}

const usualDays = 30;

/** Usage in whole UTC days: those that begin within the stretch asked for, or else the last 30. */
export const getUsage =
  ({ usage, clock }: UsageParts) =>
  (organisationId: string, { after, before, ...rest }: WantedUsage, page: PageRequest): Promise<Page<UsageRow>> => {
    const end = before ?? clock.now();
    const start = after ?? startOfDay(dayOf(daysAfter(end, 1 - usualDays)));
    return usage.list(organisationId, { ...rest, ...daysBeginningWithin(start, end) }, page);
  };
