import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, grantOf, holdingsOf, noon } from '../test/examples.ts';
import {
  adjustCredits,
  expireCredits,
  grantAndTakeBack,
  grantCredits,
  nextLoss,
  requireRoomForGrant,
  takeBackCredits,
  tellExhausted,
  unspentOf,
  type CreditHoldings,
  type NewGrant,
} from './credit-account.ts';

let made = 0;
const newId = () => `id-${(made += 1)}`;
const wanted = (more: Partial<NewGrant> = {}): NewGrant => ({
  id: 'new',
  transactionId: 'movement',
  source: 'purchase:1',
  kind: 'PURCHASE',
  amount: 5n,
  priority: 50,
  expiresAt: null,
  ...more,
});
const remaining = ({ grants }: CreditHoldings) =>
  Object.fromEntries(grants.map((grant) => [grant.id, grant.remaining]));

/** What must hold of any account, whatever has happened to it. */
function expectSound({ account, grants, transactions }: CreditHoldings): void {
  const left = grants.reduce((sum, grant) => sum + grant.remaining, 0n);
  expect(left - account.undrawn).toBe(account.available + account.reserved);
  expect(account.available >= 0n).toBe(true);
  for (const { entries } of transactions) {
    expect(Object.values(entries).reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
  }
}

describe('buying more credits', () => {
  it('is refused while a thousand grants are not used up', () => {
    const many = (count: number) => holdingsOf(Array.from({ length: count }, (_, n) => grantOf(1n, { id: `g${n}` })));
    expect(() => requireRoomForGrant(many(999))).not.toThrow();
    expect(() => requireRoomForGrant(many(1_000))).toThrow('use some of them first');
  });
});

describe('taking credits away by hand', () => {
  it('takes them in the order in which they are spent, says why, and never more than there are', () => {
    const soon = grantOf(3n, { id: 'soon', priority: 10 });
    const { state, events } = adjustCredits(
      holdingsOf([grantOf(5n, { id: 'late', priority: 50 }), soon]),
      'org_1',
      { transactionId: 'movement', amount: 4n, reason: 'booked twice' },
      noon,
    );
    expectSound(state);
    expect(state.transactions).toMatchObject([{ kind: 'ADJUST', purpose: 'booked twice', availableAfter: 4n }]);
    expect(events).toMatchObject([{ name: 'credits.adjusted', data: { amount_micros: '-4', reason: 'booked twice' } }]);
    expect(remaining(grantCredits(state, wanted(), noon).state)).toMatchObject({ soon: 0n, late: 4n });
    const tooMany = { transactionId: 'movement', amount: 5n, reason: 'too many' };
    expect(() => adjustCredits(state, 'org_1', tooMany, noon)).toThrow('no more than 4 micros');
  });

  it('is taken back of what was bought alone, and owed where that is spent', () => {
    const bought = grantOf(5n, { id: 'bought', source: 'purchase:1', priority: 50 });
    const holdings = holdingsOf([bought, grantOf(3n, { id: 'present', priority: 10 })]);
    expect(unspentOf(holdings, 'purchase:1')).toMatchObject({ remaining: 5n });
    const taken = { transactionId: 'movement', source: 'purchase:1', amount: 4n, purpose: 'refund:1' };
    const { state } = takeBackCredits(holdings, 'org_1', taken, noon);
    expectSound(state);
    expect(remaining(state)).toEqual({ bought: 1n, present: 3n });
    expect(state.transactions).toMatchObject([{ kind: 'REFUND', entries: { available: -4n, refunded: 4n } }]);
    const { state: owed } = takeBackCredits(state, 'org_1', { ...taken, amount: 9n }, noon);
    expect(owed.account).toMatchObject({ available: -5n, exhausted: true });
    expect(unspentOf(owed, 'purchase:1')).toMatchObject({ remaining: 0n });
  });

  it('names the grant of which is taken back, also where nothing is left of it', () => {
    const taken = { transactionId: 'id', source: 'plan:1', amount: 4n, purpose: 'plan_change:1', grantId: 'spent' };
    const { state } = takeBackCredits(holdingsOf([]), 'org_1', taken, noon);
    expect(state.transactions).toMatchObject([{ grantId: 'spent', entries: { available: -4n, refunded: 4n } }]);
  });
});

describe('credits of which some are taken back as they come', () => {
  const taken = (amount: bigint) => ({
    transactionId: `t${amount}`,
    source: wanted().source,
    amount,
    purpose: 'dispute:1',
  });

  it('move the balance by the rest alone, with a line in the ledger for each', () => {
    const { state } = grantAndTakeBack(
      holdingsOf([grantOf(5n)]),
      'org_1',
      wanted({ amount: 9n }),
      [taken(2n), taken(4n)],
      noon,
    );
    expect(state.account.available).toBe(8n);
    expect(state.transactions.map(({ availableAfter }) => availableAfter)).toEqual([14n, 12n, 8n]);
    expect(new Set(state.transactions.map(({ grantId }) => grantId)).size).toBe(1);
  });

  it('are owed as before where all of them are, which is not told again', () => {
    const owing = holdingsOf([], { available: -3n, undrawn: 3n, exhausted: true });
    const { state, events } = grantAndTakeBack(owing, 'org_1', wanted({ amount: 9n }), [taken(9n)], noon);
    expect(state.account).toMatchObject({ available: -3n, undrawn: 3n, exhausted: true });
    expect(events.map(({ name }) => name)).toEqual(['credits.granted']);
  });
});

describe('telling that the credits ran out', () => {
  it('happens once, and not when there is enough by then', () => {
    const first = tellExhausted(holdingsOf([grantOf(5n)]), 'org_1', 6n, noon);
    expect(first.events).toMatchObject([{ name: 'credits.exhausted', data: { available_micros: '5' } }]);
    expect(tellExhausted(first.state, 'org_1', 6n, noon).events).toEqual([]);
    expect(tellExhausted(holdingsOf([grantOf(6n)]), 'org_1', 6n, noon).events).toEqual([]);
  });

  const told = ({ events }: { readonly events: readonly { readonly name: string }[] }) =>
    events.filter(({ name }) => name === 'credits.exhausted').length;

  it('happens as well when the last are taken back, taken away or expire, each time once', () => {
    const bought = grantOf(5n, { id: 'bought', source: 'purchase:1', expiresAt: at(5) });
    const holdings = holdingsOf([bought]);
    const back = { transactionId: 'movement', source: 'purchase:1', amount: 5n, purpose: 'refund:1' };
    const takenBack = takeBackCredits(holdings, 'org_1', back, noon);
    expect(told(takenBack)).toBe(1);
    expect(told(takeBackCredits(takenBack.state, 'org_1', back, noon))).toBe(0);
    expect(told(takeBackCredits(holdings, 'org_1', { ...back, amount: 4n }, noon))).toBe(0);
    const away = { transactionId: 'movement', amount: 5n, reason: 'a mistake' };
    expect(told(adjustCredits(holdings, 'org_1', away, noon))).toBe(1);
    expect(adjustCredits(holdings, 'org_1', away, noon).state.account.exhausted).toBe(true);
    expect(told(adjustCredits(holdings, 'org_1', { ...away, amount: 4n }, noon))).toBe(0);
    const expired = expireCredits(holdings, 'org_1', at(5), newId);
    expect(told(expired)).toBe(1);
    expect(expired.state.account.exhausted).toBe(true);
    expect(told(expireCredits(expired.state, 'org_1', at(6), newId))).toBe(0);
  });

  it('is not told again since some were taken of which enough are left', () => {
    const first = tellExhausted(holdingsOf([grantOf(5n)]), 'org_1', 6n, noon);
    const { state } = adjustCredits(first.state, 'org_1', { transactionId: 'm', amount: 1n, reason: 'r' }, noon);
    expect(tellExhausted(state, 'org_1', 6n, noon).events).toEqual([]);
  });
});

describe('granting credits', () => {
  it('makes them available, writes a balanced transaction and tells of it', () => {
    const { state, events, result } = grantCredits(holdingsOf([]), wanted(), noon);
    expect(state.account.available).toBe(5n);
    expect(state.transactions).toMatchObject([{ kind: 'PURCHASE', entries: { issued: -5n, available: 5n } }]);
    expect(events).toMatchObject([{ name: 'credits.granted', data: { amount_micros: '5' } }]);
    expect(result.remaining).toBe(5n);
    expectSound(state);
  });

  it('takes what was spent before from the earlier grants, even when the new one comes first', () => {
    const before = holdingsOf([grantOf(10n, { id: 'old' })], { undrawn: 4n });
    const { state } = grantCredits(before, wanted({ priority: 1 }), noon);
    expect(remaining(state)).toEqual({ old: 6n, new: 5n });
    expect(state.account.undrawn).toBe(0n);
    expectSound(state);
  });

  it('makes an exhausted account usable again, and remembers the earliest end', () => {
    const before = holdingsOf([], { exhausted: true, nextExpiryAt: at(9) });
    expect(grantCredits(before, wanted({ expiresAt: at(5) }), noon).state.account).toMatchObject({
      exhausted: false,
      nextExpiryAt: at(5),
    });
    expect(grantCredits(before, wanted({ expiresAt: at(20) }), noon).state.account.nextExpiryAt).toEqual(at(9));
  });

  it('gives nothing for nothing', () => {
    expect(() => grantCredits(holdingsOf([]), wanted({ amount: 0n }), noon)).toThrow();
  });
});

describe('the end of a grant', () => {
  const ending = grantOf(10n, { id: 'ending', expiresAt: at(5) });
  const lasting = grantOf(20n, { id: 'lasting' });

  it('takes away what is left of it and nothing else', () => {
    const { state, events } = expireCredits(holdingsOf([ending, lasting], { undrawn: 3n }), 'org_1', at(5), newId);
    expect(remaining(state)).toEqual({ ending: 0n, lasting: 20n });
    expect(state.account).toMatchObject({ available: 20n, expiryHeld: false, nextExpiryAt: null });
    expect(state.transactions).toMatchObject([{ kind: 'EXPIRE', entries: { available: -7n, expired: 7n } }]);
    expect(events).toMatchObject([{ name: 'credits.expired', data: { amount_micros: '7' } }]);
    expectSound(state);
  });

  it('does not come a moment early', () => {
    const { state, events } = expireCredits(
      holdingsOf([ending, lasting]),
      'org_1',
      new Date(at(5).getTime() - 1),
      newId,
    );
    expect(events).toEqual([]);
    expect(state.account).toMatchObject({ available: 30n, nextExpiryAt: at(5) });
  });

  it('leaves open reservations what they were promised, and notes that the rest expires with them', () => {
    const held = expireCredits(holdingsOf([ending, lasting], { reserved: 4n }), 'org_1', at(5), newId).state;
    expect(remaining(held)).toEqual({ ending: 4n, lasting: 20n });
    expect(held.account).toMatchObject({ available: 20n, reserved: 4n, expiryHeld: true });
    expectSound(held);
    const released: CreditHoldings = { ...held, account: { ...held.account, available: 24n, reserved: 0n } };
    const after = expireCredits(released, 'org_1', at(5), newId).state;
    expect(after.account).toMatchObject({ available: 20n, expiryHeld: false });
    expect(remaining(after)).toEqual({ ending: 0n, lasting: 20n });
  });

  it('leaves every account sound', () => {
    const grants = fc.array(
      fc.record({
        remaining: fc.bigInt(1n, 100n),
        priority: fc.integer({ min: 1, max: 3 }),
        day: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(grants, fc.nat(100), fc.nat(100), (given, reservedPercent, undrawnPercent) => {
        const all = given.map(({ day, ...grant }, index) =>
          grantOf(grant.remaining, { id: `g${index}`, priority: grant.priority, expiresAt: day > 7 ? null : at(day) }),
        );
        const left = all.reduce((sum, grant) => sum + grant.remaining, 0n);
        const reserved = (left * BigInt(reservedPercent)) / 100n;
        const undrawn = ((left - reserved) * BigInt(undrawnPercent)) / 100n;
        const first = expireCredits(holdingsOf(all, { reserved, undrawn }), 'org_1', at(4), newId).state;
        expectSound(first);
        // Once more changes nothing.
        expect(expireCredits(first, 'org_1', at(4), newId).events).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the credits that end next', () => {
  it('are what is left of the grants that end first, as far as they were not spent', () => {
    const holdings = holdingsOf(
      [grantOf(10n, { id: 'a', expiresAt: at(5) }), grantOf(7n, { id: 'b', expiresAt: at(5) }), grantOf(9n)],
      { undrawn: 4n },
    );
    expect(nextLoss(holdings, noon)).toEqual({ at: at(5), amount: 13n });
    expect(nextLoss(holdingsOf([grantOf(9n)]), noon)).toBeNull();
  });
});
