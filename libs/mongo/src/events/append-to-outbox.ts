import type { Event } from '@platform-backend/events';
import type { Database } from '../database.ts';
import { presentScope } from '../scope.ts';
import { addToOutbox, pendingEvents } from './event-collections.ts';

/**
 * Makes events part of the present transaction that are no change of one document, such as that many were removed. They
 * are published if and only if it commits. A document store does it by itself for its own.
 */
export async function appendToOutbox(database: Database, events: readonly Event[]): Promise<void> {
  const scope = presentScope();
  if (!scope?.session || scope.organisationId === null)
    throw new Error('events are appended in the transaction of what they tell of');
  await addToOutbox(database.unguarded, pendingEvents(events, scope.organisationId), scope.session);
  scope.hasEvents = true;
}
