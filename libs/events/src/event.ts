/** Plain JSON, as it will stand in the published event. */
export type EventData = Readonly<Record<string, unknown>>;

/** Who caused an event. */
export interface Actor {
  kind: 'user' | 'api_key' | 'service';
  id: string;
  /** As it was at the time, so that a history stays readable after the actor is gone. */
  name?: string;
  /** The user for whom a key has acted. */
  onBehalfOf?: { readonly id: string; readonly name: string };
}

/** A fact to publish: something that has happened and cannot be refused any more. */
export interface Event<Data extends EventData = EventData> {
  /** `platform.v1.<domain>.<entity>.<verb>`, the verb in the past tense. Also the NATS subject. */
  type: string;
  organisationId: string;
  /** The id of the thing it happened to. Events of one subject are published in the order they were appended. */
  subject: string;
  data: Data;
  time: Date;
  actor?: Actor;
  /** The request that led to it. */
  requestId?: string;
  /** Chosen by the caller only where the same fact may be appended twice; otherwise made here. */
  id?: string;
}

/** A fact as consumers receive it: at least once, perhaps late, perhaps out of order. */
export interface DeliveredEvent<Data extends EventData = EventData> extends Event<Data> {
  /** The same in every delivery and every replay. */
  id: string;
  /** `/platform/<domain>` of the service that published it. */
  source: string;
}
