import {
  auditEntryOf,
  auditRecorded,
  newId,
  type Actor,
  type ActorContext,
  type Change,
  type DomainEvent,
  type EventPattern,
  type Fields,
} from '@platform-backend/core';

/** Who caused an event, with the names of that time, so that a history stays readable after the actor is gone. */
export type EventActor = Pick<Actor, 'type' | 'id' | 'onBehalfOf'> & Partial<Pick<Actor, 'name'>>;

/** A fact to publish: something that has happened and cannot be refused any more. */
export interface Event<Data extends Fields = Fields> {
  /** `platform.v1.<domain>.<entity>.<verb>`, the verb in the past tense. Also the NATS subject. */
  type: string;
  organisationId: string;
  /** The id of the thing it happened to. Events of one subject are published in the order they were appended. */
  subject: string;
  /** Plain JSON, as it will stand in the published event. */
  data: Data;
  time: Date;
  actor?: EventActor;
  /** The request that led to it. */
  requestId?: string;
  /** The trace of what led to it, as W3C Trace Context writes it; where nothing is traced there is none. */
  traceParent?: string;
  /** Chosen by the caller only where the same fact may be appended twice; otherwise made here. */
  id?: string;
}

/** A fact as consumers receive it: at least once, perhaps late, perhaps out of order. */
export interface DeliveredEvent<Data extends Fields = Fields> extends Event<Data> {
  /** The same in every delivery and every replay. */
  id: string;
  /** `/platform/<domain>` of the service that published it. */
  source: string;
}

/** Whether an event is of this type, and so has its payload. */
export const isOf = <Data extends Fields>(
  event: DeliveredEvent,
  type: EventPattern<string, Data>,
): event is DeliveredEvent<Data> => event.type === type;

/** A fact as its domain, and whoever caused it, publish it. */
export const publishedEvent = (domain: string, by: ActorContext, { name, subject, data, at }: DomainEvent): Event => ({
  type: `platform.v1.${domain}.${name}`,
  organisationId: by.organisationId,
  subject,
  data,
  time: at,
  actor: by.actor,
  requestId: by.requestId,
});

/** All of what a decision says has happened, and of each change an entry for the audit log. */
export const outgoingEvents =
  (domain: string) =>
  (by: ActorContext, events: readonly DomainEvent[]): Event[] =>
    [
      ...events,
      ...events.flatMap((event) => (isChange(event) ? auditRecorded(auditEntryOf(event, by, newId())) : [])),
    ].map((event) => publishedEvent(domain, by, event));

const isChange = (event: DomainEvent): event is DomainEvent & { readonly change: Change } => event.change !== undefined;
