import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nothingToRefund, refundTooLarge } from './errors.ts';
import { afterOutcome, afterSilence, maxRefund, newRefund, type Refundable, type RefundRequest } from './refund.ts';

const noon = new Date('2026-04-01T12:00:00.000Z');
const lease = new Date(noon.getTime() + 60_000);
const request: RefundRequest = {
  ...{ id: 'refund-1', organisationId: 'org-1', amountMinor: null, reason: 'REQUESTED_BY_CUSTOMER', memo: '' },
  requestedBy: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' },
  requestId: 'request-1',
};
const paid = (more: Partial<Refundable> = {}): Refundable => ({
  invoice: { id: 'invoice-1', currency: 'EUR', subtotalMinor: 1_000n, taxMinor: 190n, totalMinor: 1_190n },
  payment: { id: 'payment-1', reference: 'pi_1' },
  givenBackMinor: 0n,
  unused: { kind: 'credits', micros: 70_000_000n, boughtMicros: 70_000_000n },
  ...more,
});
const refund = (of: Refundable, amountMinor: bigint | null = null) =>
  newRefund(of, { ...request, amountMinor }, noon, lease);

describe('a refund', () => {
  it('gives back all that is not used unless less is asked for, and never more', () => {
    expect(refund(paid())).toMatchObject({ amountMinor: 1_190n, taxMinor: 190n, creditsMicros: 70_000_000n });
    const half = { kind: 'credits', micros: 35_000_000n, boughtMicros: 70_000_000n } as const;
    expect(refund(paid({ unused: half }))).toMatchObject({
      amountMinor: 595n,
      taxMinor: 95n,
      creditsMicros: 35_000_000n,
    });
    expect(() => refund(paid({ unused: half }), 596n)).toThrow(refundTooLarge({ max: '595' }));
    expect(() => refund(paid({ givenBackMinor: 1_190n }))).toThrow(nothingToRefund());
    expect(refund(paid({ unused: { kind: 'not_asked' } }), 1n)).toMatchObject({ amountMinor: 1n, creditsMicros: 0n });
  });

  it('in parts gives back the last cent, too', () => {
    const invoice = { ...paid().invoice, subtotalMinor: 100n, taxMinor: 19n, totalMinor: 119n };
    const bought = { kind: 'credits', micros: 100_000_000n, boughtMicros: 100_000_000n } as const;
    const first = refund(paid({ invoice, unused: bought }), 100n);
    const unused = { ...bought, micros: bought.micros - first.creditsMicros };
    const rest = refund(paid({ invoice, unused, givenBackMinor: 100n }));
    expect([rest.amountMinor, first.creditsMicros + rest.creditsMicros]).toEqual([19n, 100_000_000n]);
  });

  it('takes from what a subscription has left over, before tax', () => {
    const of = paid({ unused: { kind: 'balance', minor: 500n } });
    expect(refund(of)).toMatchObject({ amountMinor: 595n, taxMinor: 95n, balanceMinor: 500n, creditsMicros: 0n });
    expect(maxRefund(paid({ unused: { kind: 'balance', minor: 5_000n } }))).toBe(1_190n);
  });

  it('leaves of what a subscription has over an amount that can be paid, too', () => {
    const tax = (net: bigint) => ({
      subtotalMinor: net,
      taxMinor: (net * 24n) / 100n,
      totalMinor: (net * 124n) / 100n,
    });
    const invoice = { ...paid().invoice, currency: 'ISK', ...tax(10_000n) };
    const of = (minor: bigint, givenBackMinor = 0n) =>
      paid({ invoice, givenBackMinor, unused: { kind: 'balance', minor } });
    const first = refund(of(10_000n), 5_000n);
    expect(first).toMatchObject({ taxMinor: 1_000n, balanceMinor: 4_000n });
    expect(refund(of(6_000n, 5_000n))).toMatchObject({ amountMinor: 7_400n, taxMinor: 1_400n, balanceMinor: 6_000n });
    for (let unused = 0n; unused <= 10_000n; unused += 100n) {
      const max = maxRefund(of(unused));
      if (max > 0n) expect(refund(of(unused), max)).toMatchObject({ balanceMinor: unused });
    }
  });

  it('is of an amount that its currency has', () => {
    const unused = { kind: 'credits', micros: 35_000_000n, boughtMicros: 70_000_000n } as const;
    const of = paid({ invoice: { ...paid().invoice, currency: 'ISK', taxMinor: 300n, totalMinor: 1_300n }, unused });
    expect(refund(of).amountMinor).toBe(600n);
    expect(refund(of, 500n).amountMinor).toBe(500n);
    expect(() => refund(of, 550n)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it('in any parts makes the invoice exactly: total, tax and credits', () => {
    const minor = fc.bigInt({ min: 1n, max: 100_000n });
    fc.assert(
      fc.property(minor, fc.bigInt({ min: 0n, max: 30_000n }), minor, fc.array(minor), (net, tax, credits, parts) => {
        const invoice = { ...paid().invoice, subtotalMinor: net, taxMinor: tax, totalMinor: net + tax };
        const boughtMicros = credits * 1_000_000n;
        let [given, taxGiven, taken] = [0n, 0n, 0n];
        for (const part of [...parts, null]) {
          const unused = { kind: 'credits', micros: boughtMicros - taken, boughtMicros } as const;
          const of: Refundable = { ...paid(), invoice, givenBackMinor: given, unused };
          const max = maxRefund(of);
          if (max === 0n) break;
          const made = refund(of, part !== null && part > max ? max : part);
          expect(made.taxMinor >= 0n && made.taxMinor <= made.amountMinor).toBe(true);
          [given, taxGiven, taken] = [given + made.amountMinor, taxGiven + made.taxMinor, taken + made.creditsMicros];
          expect(given <= invoice.totalMinor && taken <= boughtMicros).toBe(true);
        }
        if (given === invoice.totalMinor) expect([taxGiven, taken]).toEqual([tax, boughtMicros]);
      }),
    );
  });

  it('ends once, as the processor says, and is looked for until then', () => {
    const begun = refund(paid());
    const done = afterOutcome(begun, { status: 'succeeded', reference: 're_1' }, 'note-1', noon);
    expect(done).toMatchObject({ state: 'SUCCEEDED', reference: 're_1', creditNoteId: 'note-1', nextLookAt: null });
    expect(afterOutcome(done, { status: 'failed', reference: '', reason: 'late' }, 'note-2', noon)).toBe(done);
    expect(afterSilence(done, noon)).toBe(done);
    const failed = afterOutcome(begun, { status: 'failed', reference: '', reason: 'expired_card' }, 'note-1', noon);
    expect(failed).toMatchObject({ state: 'FAILED', failure: 'expired_card', creditNoteId: null, nextLookAt: null });
    expect(afterOutcome(begun, { status: 'pending', reference: 're_1' }, 'note-1', noon)).toMatchObject({
      ...{ state: 'PENDING', reference: 're_1', nextLookAt: new Date(noon.getTime() + 3_600_000) },
    });
    expect(afterSilence(begun, noon).nextLookAt).toEqual(new Date(noon.getTime() + 5_000));
  });
});
