import type { IdentityEvents } from '@platform-backend/contract-identity/events';
import type { Change, Decision, EventOf } from '@platform-backend/core';

/** The names of what can happen here, without the note of the audit log about it. */
export type IdentityEventName = Exclude<keyof IdentityEvents, 'audit.recorded'>;

/** A fact that this service publishes. Members are told it too, as an entry of the audit log. */
export type IdentityEvent<Name extends IdentityEventName = IdentityEventName> = {
  [One in Name]: EventOf<IdentityEvents, One> & { readonly change: Change };
}[Name];

/** What a store asks while it holds what is decided about. */
export type Decide<State, Next = State, Result = Next> = (state: State) => Decision<Next, IdentityEvent, Result>;
