import { describe, expect, it } from '@jest/globals';
import { eventsOf, type DataOf, type EventOf, type OnOf } from './event-pattern.ts';

type ShopEvents = {
  readonly 'order.placed': { readonly order_id: string };
  readonly 'order.paid': { readonly order_id: string; readonly amount: number };
  readonly 'stock.emptied': { readonly item: string };
};
const shopEvents = eventsOf<ShopEvents, 'shop'>('shop');

describe('the events of a domain', () => {
  it('are named by their types and patterns, which are plain strings', () => {
    expect(shopEvents('order.paid')).toBe('platform.v1.shop.order.paid');
    const pattern = shopEvents('order.*');
    const on: OnOf<typeof pattern> = 'platform.v1.shop.order.*';
    expect(pattern).toBe(on);
    // @ts-expect-error -- there is no such event
    shopEvents('order.lost');
    // @ts-expect-error -- nor such a thing
    shopEvents('customer.*');
  });

  it('have a payload that the compiler knows from them', () => {
    const read = (data: DataOf<ReturnType<typeof shopEvents<'order.*'>>>): string => data.order_id;
    expect(read({ order_id: 'a', amount: 1 })).toBe('a');
    // @ts-expect-error -- that is the payload of another event
    expect(read({ item: 'a' })).toBeUndefined();
  });

  it('are built with the payload of their name, whole and nothing else', () => {
    const about = { subject: 'a', at: new Date() };
    const events: EventOf<ShopEvents>[] = [
      { ...about, name: 'order.placed', data: { order_id: 'a' } },
      // @ts-expect-error -- a field is missing
      { ...about, name: 'order.paid', data: { order_id: 'a' } },
      // @ts-expect-error -- a field is unknown
      { ...about, name: 'order.placed', data: { order_id: 'a', color: 'red' } },
    ];
    expect(events).toHaveLength(3);
  });
});
