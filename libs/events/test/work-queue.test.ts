import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { openEventBus, openWorkQueue, type EventBus, type WorkQueue } from '../src/index.ts';
import { natsAuthorization, setUpStreams, type EventAccess } from '../src/set-up.ts';
import { quiet } from './suite/index.ts';

const nothing = { publishes: false, follows: [], reactions: {} };
const kitchen: EventAccess = { service: 'kitchen', ...nothing, queues: ['orders'] };
const guests: EventAccess = { service: 'guests', ...nothing };

describe('a queue of work', () => {
  let nats: ThrowawayNats;
  const opened: EventBus[] = [];

  function queueAs(user: string, service = user): WorkQueue {
    const url = new URL(nats.url.replace('nats:', 'http:'));
    const servers = `nats://${user}:secret@${url.host}`;
    const bus = openEventBus({ servers, name: user, logger: quiet });
    opened.push(bus);
    return openWorkQueue({ bus, logger: quiet, service, name: 'orders' });
  }
  const offered = (queue: WorkQueue, texts: readonly string[]) =>
    waitFor(
      () =>
        queue.offer(texts.map((text) => ({ id: text, text }))).then(
          () => true,
          () => false,
        ),
      { what: 'an offer that is taken' },
    );

  beforeAll(async () => {
    nats = await throwawayNats({ authorization: natsAuthorization([kitchen, guests], () => '"secret"') });
    const operator = new URL(nats.url.replace('nats:', 'http:'));
    const servers = `nats://operator:secret@${operator.host}`;
    await setUpStreams({ servers, signal: AbortSignal.timeout(240_000) });
  });
  afterAll(async () => {
    for (const bus of opened) await bus.close();
    await nats.drop();
  });

  it('gives each message to one of those that share it, at most as many at a time as have slots', async () => {
    const cooked: string[] = [];
    let [busy, maxBusy] = [0, 0];
    const cooks = [1, 2].map((cook) =>
      queueAs('kitchen').take<string>({
        slots: 2,
        begin: (order) => Promise.resolve(order),
        execute: async (order) => {
          busy += 1;
          maxBusy = Math.max(maxBusy, busy);
          await new Promise((resolve) => setImmediate(resolve));
          cooked.push(`${order} by ${cook}`);
          busy -= 1;
        },
      }),
    );
    const orders = Array.from({ length: 40 }, (_, number) => `order ${number}`);
    await offered(queueAs('kitchen'), orders);
    await waitFor(() => cooked.length === 40, { what: 'all orders' });
    for (const cook of cooks) await cook.stop();
    expect(new Set(cooked.map((text) => text.replace(/ by .*/, ''))).size).toBe(40);
    expect(maxBusy).toBeLessThanOrEqual(4);
  });

  it('brings again what could not be begun, and forgets what nobody wants', async () => {
    const queue = queueAs('kitchen');
    const seen: string[] = [];
    await offered(queue, ['burnt', 'unwanted']);
    const cook = queue.take<string>({
      slots: 1,
      begin: (order) => {
        seen.push(order);
        if (order === 'burnt' && seen.filter((other) => other === 'burnt').length === 1) throw new Error('no pan');
        return Promise.resolve(order === 'unwanted' ? undefined : order);
      },
      execute: () => Promise.resolve(),
    });
    await waitFor(() => seen.filter((order) => order === 'burnt').length === 2, { what: 'another attempt' });
    await cook.stop();
    expect(await queue.waiting()).toBe(0);
    expect(seen.filter((order) => order === 'unwanted')).toHaveLength(1);
  });

  it('has what is offered again by its id once, and tells whoever begins whether more is waiting', async () => {
    const queue = queueAs('kitchen');
    for (let time = 0; time < 3; time += 1) await offered(queue, ['soup', 'salad']);
    expect(await queue.waiting()).toBe(2);
    const seen: [order: string, othersWait: boolean][] = [];
    const cook = queue.take<string>({
      slots: 1,
      begin: (order, othersWait) => {
        seen.push([order, othersWait]);
        return Promise.resolve(undefined);
      },
      execute: () => Promise.resolve(),
    });
    await waitFor(() => seen.length === 2, { what: 'both orders' });
    await cook.stop();
    expect(seen.toSorted(([, a], [, b]) => Number(b) - Number(a)).map(([, othersWait]) => othersWait)).toEqual([
      ...[true, false],
    ]);
  });

  it('is for the service that declares it alone', async () => {
    const theirs = queueAs('guests', 'kitchen');
    const refusal = () =>
      theirs.offer([{ id: 'lunch', text: 'free lunch' }]).catch((reason: unknown) => String(reason));
    await waitFor(async () => (await refusal())?.includes('Permissions Violation'), { what: 'a refusal' });
  });
});
