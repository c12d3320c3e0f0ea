import { describe, expect, it } from '@jest/globals';
import { systemActor } from '../../events.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import {
  beginTopUp,
  concludeTopUp,
  disableTopUp,
  setTopUp,
  startOfMonth,
  type AutomaticTopUp,
} from './automatic-top-up.ts';

const at = new Date('2026-04-20T12:00:00Z');
const later = new Date('2026-04-21T12:00:00Z');
const terms = { threshold: 10n, credits: 500, currency: 'EUR', monthlyCapMinor: 1_000n };
const price = {
  credits: 500,
  currency: 'EUR',
  country: 'DE',
  subtotal: 336n,
  tax: 64n,
  total: 400n,
  taxed: null,
} satisfies Price;
const active: AutomaticTopUp = {
  ...terms,
  ...{ state: 'ACTIVE', stoppedCode: null, changedAt: at, resumesAt: null, purchaseId: null },
};
const { actor: buyer } = systemActor('org_1', 'request');
const next = { id: 'purchase_1', price, buyer };
const begin = (known: AutomaticTopUp, spentMinor: bigint, isLow = true) =>
  beginTopUp(known, { isLow, spentMinor }, next, 'org_1', later);
const names = ({ events }: { events: readonly { name: string }[] }) => events.map(({ name }) => name);

describe('automatic top-up', () => {
  it('is turned on, and the same once more changes nothing', () => {
    const { state, events } = setTopUp(null, terms, price, 'org_1', at);
    expect(state).toEqual(active);
    expect(events).toMatchObject([{ name: 'automatic_top_up.changed', change: { before: null } }]);
    expect(setTopUp(active, terms, price, 'org_1', later)).toMatchObject({ state: active, events: [] });
  });

  it('needs a cap into which one top-up fits', () => {
    const small = { ...terms, monthlyCapMinor: 399n };
    expect(() => setTopUp(null, small, price, 'org_1', at)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it('buys while the month has room for it, and waits for the next one when it has none', () => {
    expect(begin(active, 600n)).toMatchObject({
      state: { ...active, purchaseId: 'purchase_1' },
      result: { id: 'purchase_1', origin: 'AUTOMATIC_TOP_UP', paymentMethodId: null, status: 'PENDING' },
    });
    const full = begin(active, 601n);
    expect(full.result).toBeNull();
    expect(full.state).toMatchObject({ state: 'CAP_REACHED', resumesAt: new Date('2026-05-01T00:00:00Z') });
    expect(begin(full.state, 0n)).toMatchObject({ state: { state: 'ACTIVE', resumesAt: null, changedAt: later } });
  });

  it('buys nothing when somebody else has bought credits meanwhile', () => {
    expect(begin(active, 0n, false)).toEqual({ state: active, events: [], result: null });
    expect(begin({ ...active, state: 'CAP_REACHED', resumesAt: at }, 0n, false)).toMatchObject({
      state: { state: 'ACTIVE', resumesAt: null },
      result: null,
    });
  });

  it('goes on after what was paid, and stops after what was not, and says why', () => {
    const { state, result: purchase } = begin(active, 0n);
    if (!purchase) throw new Error('it was bought');
    const paid = concludeTopUp(state, { ...purchase, status: 'SUCCEEDED' }, '', 'org_1', later);
    expect(paid.state).toEqual(active);
    expect(names(paid)).toEqual(['top_up.succeeded']);
    const failed = concludeTopUp(state, { ...purchase, status: 'DECLINED' }, 'authentication_required', 'org_1', later);
    expect(failed.state).toMatchObject({ state: 'STOPPED', stoppedCode: 'authentication_required', purchaseId: null });
    expect(names(failed)).toEqual(['top_up.failed', 'automatic_top_up.changed']);
    expect(setTopUp(failed.state, terms, price, 'org_1', later).state).toEqual({ ...active, changedAt: later });
  });

  it('stays off for who has turned it off while something was being paid', () => {
    const { state, result: purchase } = begin(active, 0n);
    if (!purchase) throw new Error('it was bought');
    const off = disableTopUp(state, 'org_1', later).state as AutomaticTopUp;
    expect(off).toMatchObject({ state: 'OFF', purchaseId: 'purchase_1' });
    const failed = concludeTopUp(off, { ...purchase, status: 'DECLINED' }, 'card_declined', 'org_1', later);
    expect(failed.state).toMatchObject({ state: 'OFF', purchaseId: null });
    expect(names(failed)).toEqual(['top_up.failed']);
  });

  it('counts months by UTC', () => {
    expect(startOfMonth(new Date('2026-12-31T23:59:59Z'))).toEqual(new Date('2026-12-01T00:00:00Z'));
  });
});
