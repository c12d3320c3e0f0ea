import { describe, expect, it } from '@jest/globals';
import { differencesBetween, type BookedWork, type PricedWork } from './differences.ts';

const noon = new Date('2026-03-02T12:00:00.000Z');
const period = { from: new Date('2026-03-01T00:00:00.000Z'), until: new Date('2026-03-02T12:01:00.000Z') };

const work = (workId: string, more: Partial<PricedWork> = {}): PricedWork => ({
  ...{ purpose: 'assistant_message', workId, at: noon, micros: 70n, debits: 1 },
  ...more,
});
const booked = (workId: string, more: Partial<BookedWork> = {}): BookedWork => ({
  ...{ purpose: 'assistant_message', workId, at: noon, micros: 70n, debits: 1 },
  ...more,
});
const found = (works: readonly PricedWork[], debits: readonly BookedWork[]) =>
  differencesBetween(works, debits, period).map(({ difference, workId }) => [difference, workId]);

describe('work and debits', () => {
  it('that belong to each other are no difference', () => {
    const kernel = { purpose: 'kernel_minute', micros: null, debits: 3 };
    expect(found([work('a'), work('k', kernel)], [booked('a'), booked('k', { ...kernel, micros: 15_000n })])).toEqual(
      [],
    );
  });

  it('without the other are found, in both directions, and those of another purpose are not the other', () => {
    expect(
      found([work('a'), work('b')], [booked('b'), booked('c'), booked('a', { purpose: 'transcription' })]),
    ).toEqual([
      ['no_debit', 'a'],
      ['no_work', 'c'],
      ['no_work', 'a'],
    ]);
  });

  it('of different amounts and numbers are found', () => {
    expect(
      found([work('a'), work('b', { micros: null })], [booked('a', { micros: 71n }), booked('b', { debits: 2 })]),
    ).toEqual([
      ['another_amount', 'a'],
      ['another_number_of_debits', 'b'],
    ]);
  });

  it('of before or after are left alone, but known', () => {
    const [before, after] = [new Date('2026-02-28T23:59:59.999Z'), new Date('2026-03-02T12:01:00.000Z')];
    expect(found([work('a', { at: before }), work('b', { at: after })], [booked('a')])).toEqual([]);
    expect(found([], [booked('c', { at: before }), booked('d', { at: after })])).toEqual([]);
  });
});
