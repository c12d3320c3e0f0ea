import type { Acting } from '../../domain/acting.ts';
import type { UsageRecord } from '../../domain/usage/usage.ts';
import type { UsageParts } from './usage-parts.ts';

/** Counts what services did; each record once, however often it comes. */
export const recordUsage =
  ({ usage, clock }: UsageParts) =>
  (by: Acting, records: readonly UsageRecord[]): Promise<void> =>
    usage.record(by, records, clock.now());
