import type { ContentEvents } from '@platform/contract-content/events';
import type { EventOf } from '@platform/core';

/** A fact that this service publishes. */
export type ContentEvent = EventOf<ContentEvents>;
