import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { parseCloudEvent, startReaction, toCloudEvent, type DeliveredEvent, type Effect } from '../../src/index.ts';
import { BORROWED, borrowed } from './events.ts';
import { deliverAgain, openLibrary, told, type Library } from './library.ts';
import type { EventStorage, StoreUnderTest } from './store-under-test.ts';

const CONSUMER = 'library-on-book-borrowed';

const delivered = (id: string, organisationId = 'org_1'): DeliveredEvent =>
  parseCloudEvent(JSON.stringify(toCloudEvent(borrowed('a', { id, organisationId }))));

/** An inbox alone, and as reactions to real NATS use it. */
export function inboxSuite<Transaction>(storage: EventStorage<Transaction>): void {
  let store: StoreUnderTest<Transaction>;

  beforeEach(async () => {
    store = await storage.open();
  });

  afterEach(() => store.close());

  describe(`the inbox of ${storage.name}`, () => {
    const handle = (event: DeliveredEvent, effect: Effect<Transaction> = store.recordEffect, consumer = CONSUMER) =>
      store.inbox.once(consumer, event, effect);

    it('lets an event take effect once, however often it arrives', async () => {
      for (let copy = 0; copy < 3; copy += 1) await handle(delivered('event-1'));
      expect(await store.effects('org_1')).toEqual(['event-1']);
    });

    it('lets it take effect once when copies arrive at the same moment', async () => {
      const event = delivered('event-1');
      const copies = await Promise.allSettled(Array.from({ length: 8 }, () => handle(event)));
      expect(copies.map(({ status }) => status)).toContain('fulfilled');
      expect(await store.effects('org_1')).toEqual(['event-1']);
      await handle(event);
      expect(await store.effects('org_1')).toEqual(['event-1']);
    });

    it('lets it take effect once for each consumer', async () => {
      await handle(delivered('event-1'));
      await handle(delivered('event-1'), store.recordEffect, 'library-on-something-else');
      expect(await store.effects('org_1')).toEqual(['event-1', 'event-1']);
    });

    it('leaves no trace of an attempt that failed halfway: the next one does it', async () => {
      const failing = handle(delivered('event-1'), async (transaction, event) => {
        await store.recordEffect(transaction, event);
        throw new Error('the lamp fell over');
      });
      await expect(failing).rejects.toThrow('the lamp fell over');
      expect(await store.effects('org_1')).toEqual([]);
      await handle(delivered('event-1'));
      expect(await store.effects('org_1')).toEqual(['event-1']);
    });

    it('keeps the effects of organisations apart', async () => {
      await handle(delivered('one'));
      await handle(delivered('two', 'org_2'));
      expect([await store.effects('org_1'), await store.effects('org_2')]).toEqual([['one'], ['two']]);
    });

    it('forgets after their time what was handled: whatever comes after that takes effect again', async () => {
      await handle(delivered('event-1'));
      expect(await store.inbox.prune(60_000)).toBe(0);
      await handle(delivered('event-1'));
      // Older than in one minute: everything.
      expect(await store.inbox.prune(-60_000)).toBe(1);
      await handle(delivered('event-1'));
      expect(await store.effects('org_1')).toEqual(['event-1', 'event-1']);
    });
  });

  describe(`a reaction whose effect is in ${storage.name}`, () => {
    let library: Library;

    beforeEach(async () => {
      library = await openLibrary();
    });

    afterEach(() => library.close());

    const react = (effect: Effect<Transaction> = store.recordEffect) =>
      library.stopLater(
        startReaction({
          bus: library.bus,
          inbox: store.inbox,
          ...told(),
          name: CONSUMER,
          on: BORROWED,
          retryDelaysMs: [5, 10],
          effect,
        }),
      );

    it('happens once for each of events that arrive twice and out of order', async () => {
      for (const id of ['3', '1', '2', '3', '1']) await deliverAgain(library.bus, toCloudEvent(borrowed('a', { id })));
      react();
      await deliverAgain(library.bus, toCloudEvent(borrowed('a', { id: 'the last' })));
      await waitFor(async () => (await store.effects('org_1')).length === 4);
      expect((await store.effects('org_1')).toSorted()).toEqual(['1', '2', '3', 'the last']);
    });

    it('is tried again when it failed halfway, and happens once', async () => {
      let attempts = 0;
      react(async (transaction, event) => {
        attempts += 1;
        await store.recordEffect(transaction, event);
        if (attempts === 1) throw new Error('the lamp fell over');
      });
      await deliverAgain(library.bus, toCloudEvent(borrowed('a', { id: 'event-1' })));
      await waitFor(async () => (await store.effects('org_1')).length > 0);
      expect(attempts).toBe(2);
      expect(await store.effects('org_1')).toEqual(['event-1']);
    });
  });
}
