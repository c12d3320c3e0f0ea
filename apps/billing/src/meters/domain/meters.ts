import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { Measurement, UsageEvent } from './measure.ts';
import type { MeterQuery, MeterRow } from './meter-query.ts';
import type { Meter } from './meter.ts';

export interface IngestResult {
  readonly accepted: number;
  /** Counted before. */
  readonly duplicates: number;
}

/** Where meters and what they count are kept. */
export interface Meters {
  /** `decide` is told how many the organisation has that are not archived. CONFLICT: the slug is taken. */
  add(by: ActorContext, decide: (others: number) => Decision<Meter, BillingEvent>): Promise<Meter>;
  /** NOT_FOUND: unknown meter. */
  update(by: ActorContext, meterId: string, decide: (meter: Meter) => Decision<Meter, BillingEvent>): Promise<Meter>;
  /** NOT_FOUND: unknown meter. */
  get(organisationId: string, meterId: string): Promise<Meter>;
  list(organisationId: string, filter: { readonly archived: boolean }, page: PageRequest): Promise<Page<Meter>>;
  /** Counts each event once, by its source and id; `measure` says what those add to the meters that count them. */
  ingest(
    organisationId: string,
    events: readonly UsageEvent[],
    measure: (meters: readonly Meter[]) => readonly Measurement[],
    at: Date,
  ): Promise<IngestResult>;
  query(
    meter: Meter,
    organisationId: string,
    query: MeterQuery,
    page: Omit<PageRequest, 'includeTotal'>,
  ): Promise<Page<MeterRow>>;
  /** Removes what is older; how much it was. */
  forget(before: { readonly events: Date; readonly counts: Date }): Promise<number>;
  /** Removes all of an organisation that is gone. */
  removeAll(organisationId: string): Promise<void>;
}
