import type { PipelinesEvents } from '@platform-backend/contract-pipelines/events';
import type { EventOf } from '@platform-backend/core';

/** The names of what can happen here, without the note for the audit log about it. */
export type PipelinesEventName = Exclude<keyof PipelinesEvents, 'audit.recorded'>;

/** A fact that this service publishes; with a `change` members find it in the audit log. */
export type PipelinesEvent<Name extends PipelinesEventName = PipelinesEventName> = EventOf<PipelinesEvents, Name>;
