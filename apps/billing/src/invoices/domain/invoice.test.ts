import { describe, expect, it } from '@jest/globals';
import { invoiceNumber } from './invoice.ts';

describe('an invoice', () => {
  it('has a number that sorts as it counts', () => {
    expect([invoiceNumber('INV', 2026, 1), invoiceNumber('INV', 2026, 123_456)]).toEqual([
      'INV-2026-000001',
      'INV-2026-123456',
    ]);
  });
});
