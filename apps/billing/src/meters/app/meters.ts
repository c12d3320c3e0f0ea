import { newId, type ActorContext, type Clock, type Page, type PageRequest } from '@platform-backend/core';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { measure, type UsageEvent } from '../domain/measure.ts';
import { countsKeptDays, meterQuery, type MeterQuestion, type MeterRow } from '../domain/meter-query.ts';
import { archiveMeter, createMeter, updateMeter, type Meter, type MeterDefinition } from '../domain/meter.ts';
import type { IngestResult, Meters } from '../domain/meters.ts';

export interface MeterPorts {
  readonly meters: Meters;
  readonly clock: Clock;
}

/** An event as it was reported; without a time it is of now. */
export type ReportedEvent = Omit<UsageEvent, 'time'> & { readonly time: Date | null };

/** An event that comes again is known for so long: longer than it may be late. */
const eventsKeptDays = 35;

/** What can be done with meters. */
export const meterUseCases = ({ meters, clock }: MeterPorts) => ({
  create(by: ActorContext, definition: MeterDefinition): Promise<Meter> {
    const [id, at] = [newId(), clock.now()];
    return meters.add(by, (others) => createMeter(definition, { id, others }, at));
  },

  update(by: ActorContext, meterId: string, wanted: Partial<Pick<Meter, 'name' | 'description'>>): Promise<Meter> {
    const at = clock.now();
    return meters.update(by, meterId, (meter) => updateMeter(meter, wanted, at));
  },

  archive(by: ActorContext, meterId: string): Promise<Meter> {
    const at = clock.now();
    return meters.update(by, meterId, (meter) => archiveMeter(meter, at));
  },

  get: (organisationId: string, meterId: string): Promise<Meter> => meters.get(organisationId, meterId),

  list: (organisationId: string, filter: { readonly archived: boolean }, page: PageRequest): Promise<Page<Meter>> =>
    meters.list(organisationId, filter, page),

  async query(
    organisationId: string,
    meterId: string,
    question: MeterQuestion,
    page: Omit<PageRequest, 'includeTotal'>,
  ): Promise<Page<MeterRow>> {
    const meter = await meters.get(organisationId, meterId);
    return meters.query(meter, organisationId, meterQuery(meter, question, clock.now()), page);
  },

  /** Counts each event once, however often it comes. INVALID, and nothing is counted: each that cannot be. */
  ingest(organisationId: string, reported: readonly ReportedEvent[]): Promise<IngestResult> {
    const at = clock.now();
    const events = reported.map((event) => ({ ...event, time: event.time ?? at }));
    return meters.ingest(organisationId, events, (known) => measure(events, known, at), at);
  },

  /** Removes what is not kept any longer; how much it was. */
  sweep(): Promise<number> {
    const now = clock.now();
    return meters.forget({ events: daysAfter(now, -eventsKeptDays), counts: daysAfter(now, -countsKeptDays) });
  },
});

export type MeterUseCases = ReturnType<typeof meterUseCases>;
