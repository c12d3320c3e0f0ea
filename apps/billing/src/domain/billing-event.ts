/** The facts this service publishes; `platform.v1.billing.` before the name makes the event type. */
export type BillingEventName =
  | 'credits.granted'
  | 'credits.reserved'
  | 'credits.settled'
  | 'credits.released'
  | 'credits.exhausted'
  | 'credits.expired'
  | 'usage.threshold_reached'
  | 'subscription.changed'
  | 'subscription.renewed'
  | 'subscription.payment_failed'
  | 'payment_method.attached'
  | 'payment_method.detached'
  | 'invoice.issued'
  | 'billing_details.changed';

/** Plain JSON with the field names of the published payload (protos/platform/events/v1/billing.proto). */
export type Fields = Readonly<Record<string, unknown>>;

/** Something that happened, for everybody who wants to know. */
export interface BillingEvent {
  readonly name: BillingEventName;
  /** The id of what it happened to. Events of one subject are published in the order of their changes. */
  readonly subject: string;
  readonly at: Date;
  readonly data: Fields;
}

/** What a domain function answers: the next state, the facts that follow, and what its caller gets back. */
export interface Decision<State, Result = State> {
  readonly state: State;
  readonly events: readonly BillingEvent[];
  readonly result: Result;
}

/** The decision that everything stays as it is. The same object tells the store that nothing needs saving. */
export const unchanged = <State>(state: State): Decision<State> => ({ state, events: [], result: state });
