import { DiscardPolicy } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@platform/core';
import { createMetrics } from '@platform/core/metrics';
import { waitFor } from '@platform/testing';
import { listSetAside, postgresOutbox, retrySetAside, toCloudEvent } from '../src/index.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import { BORROWED, borrowed, commit, logOf, openLibrary, sessionOf, stored, type Library } from './library.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const published = async (): Promise<string[]> => (await stored(library.bus)).map(({ event }) => event.id);
const backlog = async (): Promise<number> => (await postgresOutbox(library.database).backlog()).events;
const setAside = async (): Promise<{ id: string; reason: string }[]> =>
  (await listSetAside(library.database)).map(({ id, reason }) => ({ id, reason }));

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
  await library.database.tenant('org_1', async (trx) => {
    for (const row of rows) await trx('outbox').insert(row);
  });
  return rows.map(({ id }) => id ?? '');
}

describe('events that NATS can never take', () => {
  it('are set aside when they are larger than its payloads, batch after batch, and later ones arrive', async () => {
    const large = await appendAnyway(12, { bytes: 1_100_000 });
    const later = await commit(library.database, borrowed('large 0'), borrowed('other'));
    library.relay({ batchSize: 5, pollMs: 60_000 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(later);
    const reason = expect.stringContaining('max_payload') as unknown;
    expect(await setAside()).toEqual(large.map((id) => ({ id, reason })));
  });

  it('are set aside when the stream refuses their size, a full batch of them and more', async () => {
    const { manager } = await sessionOf(library.bus);
    await manager.streams.update(EVENT_STREAM, { max_msg_size: 1_000 });
    const large = await appendAnyway(250, { bytes: 2_000 });
    const later = await commit(library.database, borrowed('large 1'), borrowed('other'));
    library.relay({ pollMs: 60_000 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(later);
    expect((await setAside()).map(({ id }) => id)).toEqual(large);

    await manager.streams.update(EVENT_STREAM, { max_msg_size: -1 });
    expect(await retrySetAside(library.database)).toBe(250);
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual([...later, ...large]);
    expect(await setAside()).toEqual([]);
  });

  it('are set aside when their type is none: as a subject it would break the connection', async () => {
    const [wrong = ''] = await appendAnyway(1, { bytes: 1, type: 'platform.v1.library.book borrowed' });
    const later = await commit(library.database, borrowed('large 0'));
    library.relay({ pollMs: 60_000 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(later);
    expect(await setAside()).toEqual([
      { id: wrong, reason: '"platform.v1.library.book borrowed" is not an event type' },
    ]);
  });

  it('are named in the log once, with their reason, and counted as long as they are there', async () => {
    const { logger, lines } = logOf();
    const [id = ''] = await appendAnyway(1, { bytes: 1_100_000 });
    library.relay({ pollMs: 60_000, pruneEveryMs: 50, logger });
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
    const page = library.stopLater(await metrics.serve('127.0.0.1:0'));
    const shows = async (...lines: string[]): Promise<boolean> => {
      const shown = (await (await fetch(`http://${page.address}/metrics`)).text()).split('\n');
      return lines.every((line) => shown.includes(line));
    };
    await appendAnyway(2, { bytes: 1, type: 'platform.v1.library.book borrowed' });
    library.relay({ pollMs: 60_000, metrics });
    await waitFor(() => shows('events_set_aside 2', 'events_set_aside_total 2', 'events_unpublished 0'));

    await library.database.system({ 'app.outbox': 'relay' }, (trx) =>
      trx('events_set_aside').update({ type: BORROWED }),
    );
    await retrySetAside(library.database);
    await waitFor(() => shows('events_set_aside 0', 'events_set_aside_total 2', 'events_unpublished 0'));

    await library.nats.stop();
    await commit(library.database, borrowed('while NATS is away'));
    await waitFor(() => shows('events_set_aside 0', 'events_unpublished 1'));
    expect(await shows('events_oldest_unpublished_age_seconds 0')).toBe(false);
  });
});

describe('events that NATS cannot take now', () => {
  it('wait, whether there is no stream or a full one', async () => {
    const { manager } = await sessionOf(library.bus);
    await manager.streams.delete(EVENT_STREAM);
    const ids = await commit(library.database, borrowed('a'));
    const { logger, lines } = logOf();
    library.relay({ pollMs: 50, logger });
    const failures = () => lines.filter(({ msg }) => msg === 'some events were not accepted by NATS').length;
    await waitFor(() => failures() >= 2);

    const full = { name: EVENT_STREAM, subjects: ['platform.v1.>'], max_bytes: 1, discard: DiscardPolicy.New };
    await manager.streams.add(full);
    const before = failures();
    await waitFor(() => failures() >= before + 2);
    expect(await setAside()).toEqual([]);
    expect(await backlog()).toBe(1);

    await manager.streams.update(EVENT_STREAM, { max_bytes: -1 });
    await waitFor(async () => (await backlog()) === 0);
    expect(await published()).toEqual(ids);
  });
});
