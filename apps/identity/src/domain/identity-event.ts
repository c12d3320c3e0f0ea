/** The facts this service publishes; `platform.v1.identity.` before the name makes the event type. */
export type IdentityEventName =
  | 'organisation.created'
  | 'organisation.updated'
  | 'organisation.deleted'
  | 'member.invited'
  | 'member.invitation_withdrawn'
  | 'member.invitation_declined'
  | 'member.added'
  | 'member.removed'
  | 'member.level_changed'
  | 'member.suspended'
  | 'member.reactivated'
  | 'client_group.created'
  | 'client_group.updated'
  | 'client_group.archived'
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.rotated'
  | 'api_key.revoked';

/** Plain JSON with the field names of the API, so that it can be shown as it is. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a change did to its target: the changed fields alone, null where there was or is nothing. */
export interface Change {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/**
 * Something that happened, for everybody who wants to know: `data` is the published payload
 * (protos/platform/events/v1/identity.proto), `change` is what the audit log shows to members.
 */
export interface IdentityEvent {
  readonly name: IdentityEventName;
  /** The id of the organisation, member, client group or API key it happened to. */
  readonly targetId: string;
  readonly at: Date;
  readonly data: Fields;
  readonly change: Change;
}

/** What a domain function answers: the next state, the facts that follow, and what its caller gets back. */
export interface Decision<State, Result = State> {
  readonly state: State;
  readonly events: readonly IdentityEvent[];
  readonly result: Result;
}

/** The decision that everything stays as it is. The same object tells the store that nothing needs saving. */
export const unchanged = <State>(state: State): Decision<State> => ({ state, events: [], result: state });

/** The fields in which two versions of one thing differ, each with its value before and after. */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
