/** Plain JSON with the field names of the API, so that it can be shown as it is. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a change did to its subject: the changed fields alone, null where there was or is nothing. */
export interface Change {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** Something that happened, for everybody who wants to know. */
export interface DomainEvent<Name extends string = string, Data extends Fields = Fields> {
  /** `client.updated`: the kind of thing and what happened to it; `platform.v1.<domain>.` before it makes the type. */
  readonly name: Name;
  /** The id of what it happened to. Events of one subject are published in the order of their changes. */
  readonly subject: string;
  readonly at: Date;
  /** The published payload (protos/platform/events/v1/). */
  readonly data: Data;
  /** What the audit log shows to members; without it the event is no entry there. */
  readonly change?: Change;
}

/** What a domain function answers: the next state, the facts that follow, and what its caller gets back. */
export interface Decision<State, Event extends DomainEvent = DomainEvent, Result = State> {
  readonly state: State;
  readonly events: readonly Event[];
  readonly result: Result;
}

/** The decision that everything stays as it is. The same object tells the store that nothing needs saving. */
export const unchanged = <State>(state: State): Decision<State, never> => ({ state, events: [], result: state });

/** The decision for another state, with the event or the events that tell of it; its caller gets the state unless said otherwise. */
export function decided<State, Event extends DomainEvent>(
  state: State,
  events?: NoInfer<Event> | readonly NoInfer<Event>[],
): Decision<State, Event>;
export function decided<State, Event extends DomainEvent, Result>(
  state: State,
  events: NoInfer<Event> | readonly NoInfer<Event>[],
  result: Result,
): Decision<State, Event, Result>;
export function decided(
  state: unknown,
  events: DomainEvent | readonly DomainEvent[] = [],
  ...other: readonly unknown[]
): Decision<unknown, DomainEvent, unknown> {
  return { state, events: [events].flat(), result: other.length > 0 ? other[0] : state };
}

interface WithId {
  readonly id: string;
}

/** The decision that something comes to be. `shown`: what the audit log shows of it. */
export const created = <State extends WithId, Event extends DomainEvent, Name extends Event['name']>(
  name: Name,
  state: State,
  at: Date,
  data: PayloadOf<Event, Name>,
  shown: Fields,
): Decision<State, Event> => decided(state, eventOf(name, state, at, data, { before: null, after: shown }) as Event);

/** The decision that something is no more; its caller gets what it was. */
export const deleted = <State extends WithId, Event extends DomainEvent, Name extends Event['name']>(
  name: Name,
  state: State,
  at: Date,
  data: PayloadOf<Event, Name>,
  shown: Fields,
): Decision<undefined, Event, State> =>
  decided(undefined, eventOf(name, state, at, data, { before: shown, after: null }) as Event, state);

type PayloadOf<Event extends DomainEvent, Name> = Extract<Event, { readonly name: Name }>['data'];

const eventOf = (name: string, { id: subject }: WithId, at: Date, data: Fields, change: Change): DomainEvent => ({
  ...{ name, subject, at, data, change },
});

/** The fields in which two versions of one thing differ, each with its value before and after. */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
