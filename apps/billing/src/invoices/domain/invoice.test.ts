import { describe, expect, it } from '@jest/globals';
import { amountText, invoiceNumber } from './invoice.ts';

describe('an invoice', () => {
  it('writes amounts with two decimals, whatever their size and sign', () => {
    expect([0n, 5n, -5n, 1_234n, -100n, 123_456_789_012_345_678n].map(amountText)).toEqual([
      '0.00',
      '0.05',
      '-0.05',
      '12.34',
      '-1.00',
      '1234567890123456.78',
    ]);
  });

  it('has a number that sorts as it counts', () => {
    expect([invoiceNumber(2026, 1), invoiceNumber(2026, 123_456)]).toEqual(['2026-000001', '2026-123456']);
  });
});
