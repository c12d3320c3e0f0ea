import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { toCloudEvent } from '@platform-backend/events';
import {
  BORROWED,
  borrowed,
  commit,
  logOf,
  openLibrary,
  shownBy,
  storedIds,
  type Library,
} from '@platform-backend/events/testing';
import { waitFor } from '@platform-backend/testing';
import { RELAY_SETTINGS } from '../src/events/event-tables.ts';
import { openStore, type PostgresStore } from './event-store.ts';

let library: Library;
let store: PostgresStore;

beforeEach(async () => {
  [library, store] = await Promise.all([openLibrary(), openStore()]);
});

afterEach(async () => {
  await library.close();
  await store.close();
});

const published = (): Promise<string[]> => storedIds(library.bus);
const backlog = async (): Promise<number> => (await store.outbox.backlog()).events;
const setAside = async (): Promise<{ id: string; reason: string }[]> =>
  (await store.outbox.listSetAside()).map(({ id, reason }) => ({ id, reason }));

/** Appends events past the check of their size: older versions of a service may have. */
async function appendAnyway(count: number, { bytes, type = BORROWED }: { bytes: number; type?: string }) {
  const events = Array.from({ length: count }, (_, index) => borrowed(`large ${index % 3}`, { id: newId() }));
  const rows = events.map((event) => ({
    id: event.id,
    organisation_id: event.organisationId,
    type,
    subject: event.subject,
    envelope: JSON.stringify({ ...toCloudEvent(event), data: { text: 'x'.repeat(bytes) } }),
  }));
  await store.database.tenant('org_1', async (trx) => {
    for (const row of rows) await trx('outbox').insert(row);
  });
  return rows.map(({ id }) => id ?? '');
}

describe('events that NATS can never take', () => {
  it('are set aside when they are larger than its payloads, batch after batch, and later ones arrive', async () => {
    const large = await appendAnyway(12, { bytes: 1_100_000 });
    const later = await commit(store, borrowed('large 0'), borrowed('other'));
    library.relay({ outbox: store.outbox, batchSize: 5, pollMs: 60_000 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(later);
    const reason = expect.stringContaining('max_payload') as unknown;
    expect(await setAside()).toEqual(large.map((id) => ({ id, reason })));
  });

  it('are set aside when their type is none: as a subject it would break the connection', async () => {
    const [wrong = ''] = await appendAnyway(1, { bytes: 1, type: 'platform.v1.library.book borrowed' });
    const later = await commit(store, borrowed('large 0'));
    library.relay({ outbox: store.outbox, pollMs: 60_000 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(later);
    expect(await setAside()).toEqual([
      { id: wrong, reason: '"platform.v1.library.book borrowed" is not an event type' },
    ]);
  });

  it('are named in the log once, with their reason, and counted as long as they are there', async () => {
    const { logger, lines } = logOf();
    const [id = ''] = await appendAnyway(1, { bytes: 1_100_000 });
    library.relay({ outbox: store.outbox, pollMs: 60_000, pruneEveryMs: 50, logger });
    await waitFor(() => lines.some(({ setAside: count }) => count === 1));
    expect(lines.filter(({ eventId }) => eventId === id)).toEqual([
      expect.objectContaining({
        level: 'error',
        type: BORROWED,
        reason: expect.stringContaining('max_payload'),
        msg: 'an event can never be published and was set aside',
      }),
    ]);
  });

  it('are shown by metrics, as long as they wait for somebody and how many there have been', async () => {
    const metrics = createMetrics();
    const shows = async (...lines: string[]): Promise<boolean> => {
      const shown = await shownBy(metrics);
      return lines.every((line) => shown.includes(line));
    };
    await appendAnyway(2, { bytes: 1, type: 'platform.v1.library.book borrowed' });
    library.relay({ outbox: store.outbox, pollMs: 60_000, metrics });
    await waitFor(() => shows('events_set_aside 2', 'events_set_aside_total 2', 'events_unpublished 0'));

    await store.database.system(RELAY_SETTINGS, (trx) => trx('events_set_aside').update({ type: BORROWED }));
    await store.outbox.retrySetAside();
    await waitFor(() => shows('events_set_aside 0', 'events_set_aside_total 2', 'events_unpublished 0'));

    await library.nats.stop();
    await commit(store, borrowed('while NATS is away'));
    await waitFor(() => shows('events_set_aside 0', 'events_unpublished 1'));
    expect(await shows('events_oldest_unpublished_age_seconds 0')).toBe(false);
  });
});
