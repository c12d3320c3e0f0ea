import { newId } from '@platform-backend/core';
import type { Event } from '../../src/index.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export const BORROWED = 'platform.v1.library.book.borrowed';
export const RETURNED = 'platform.v1.library.book.returned';

export const borrowed = (subject: string, change: Partial<Event> = {}): Event => ({
  type: BORROWED,
  organisationId: 'org_1',
  subject,
  data: {},
  time: new Date('2026-03-01T12:00:00.000Z'),
  ...change,
});

/** Commits these events, one transaction per organisation, and returns their ids in order. */
export async function commit(store: Pick<StoreUnderTest<never>, 'commit'>, ...events: Event[]): Promise<string[]> {
  const named = events.map((event) => ({ id: newId(), ...event }));
  for (const [organisationId, own] of Map.groupBy(named, (event) => event.organisationId)) {
    await store.commit(organisationId, own);
  }
  return named.map(({ id }) => id);
}
