import type { ContentEvents } from '@platform-backend/contract-content/events';
import type { EventOf } from '@platform-backend/core';

/** A fact that this service publishes. */
export type ContentEvent = EventOf<ContentEvents>;
