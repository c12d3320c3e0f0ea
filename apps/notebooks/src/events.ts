import type { NotebooksEvents } from '@platform-backend/contract-notebooks/events';
import type { Decision, EventOf } from '@platform-backend/core';

/** The names of what can happen here, without the note for the audit log about it. */
export type NotebooksEventName = Exclude<keyof NotebooksEvents, 'audit.recorded'>;

/** A fact that this service publishes; with a `change` members find it in the audit log. */
export type NotebooksEvent<Name extends NotebooksEventName = NotebooksEventName> = EventOf<NotebooksEvents, Name>;

/** What a store asks while it holds what is decided about. */
export type Decide<State, Next = State, Result = Next> = (state: State) => Decision<Next, NotebooksEvent, Result>;
