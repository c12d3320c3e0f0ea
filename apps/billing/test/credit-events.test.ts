import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadContract } from '@platform/contract';
import { createLogger, newId } from '@platform/core';
import { openEventBus, subscribe, type DeliveredEvent, type EventBus, type Subscription } from '@platform/events';
import { setUpStreams } from '@platform/events/set-up';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform/testing';
import { micros, newOrganisation, refusalOf, service, startTestBilling, type TestBilling } from './test-billing.ts';

const prefix = 'platform.v1.billing.';
let nats: ThrowawayNats;
let billing: TestBilling;
let bus: EventBus;
let subscription: Subscription;
const delivered: DeliveredEvent[] = [];
beforeAll(async () => {
  nats = await throwawayNats();
  billing = await startTestBilling({ natsUrl: nats.url });
  const logger = createLogger({ service: 'test', level: 'silent' });
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  bus = openEventBus({ servers: nats.url, name: 'test', logger });
  const connected = Promise.withResolvers<undefined>();
  subscription = subscribe({
    bus,
    logger,
    on: `${prefix}>`,
    onEvent: (event) => delivered.push(event),
    onConnected: () => connected.resolve(undefined),
  });
  await connected.promise;
});
afterAll(async () => {
  await subscription.close();
  await bus.close();
  await billing.stop();
  await nats.drop();
});

describe('the events of credits', () => {
  it('tell what happened, with the fields that the contract describes', async () => {
    const organisation = newOrganisation();
    const as = service('pipelines', organisation);
    const { credits } = billing.pipelines;
    const reserve = async (amount: number): Promise<string> => {
      const reservationId = newId();
      await credits.reserveCredits({ reservationId, amountMicros: micros(amount), purpose: 'run' }, as);
      return reservationId;
    };
    await billing.grant(organisation, 5, { expiresAt: new Date(Date.now() + 3_600_000) });
    await credits.settleCredits({ reservationId: await reserve(2), amountMicros: micros(1) }, as);
    await credits.releaseCredits({ reservationId: await reserve(4) }, as);
    await refusalOf(reserve(5));
    await refusalOf(reserve(6));
    const expected = ['granted', 'reserved', 'settled', 'reserved', 'exhausted', 'released', 'exhausted'];
    const events = await waitFor(
      () => {
        const own = delivered.filter(({ organisationId }) => organisationId === organisation);
        return own.length >= expected.length ? own : undefined;
      },
      { what: 'the events' },
    );
    expect(events.map(({ type }) => type)).toEqual(expected.map((verb) => `${prefix}credits.${verb}`));
    for (const { type, data } of events) {
      const verb = type.slice(`${prefix}credits.`.length);
      const message = `platform.events.v1.Credits${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
      const { fields } = loadContract().root.lookupType(message);
      expect([type, Object.keys(data).sort()]).toEqual([type, Object.keys(fields).sort()]);
    }
    expect(events.every(({ requestId }) => requestId !== undefined && requestId !== '')).toBe(true);
  });
});
