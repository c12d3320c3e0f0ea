import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountFigure, percentFigure, quantityFigure, unitPriceFigure } from './invoice-figures.ts';

describe('a figure on an invoice', () => {
  it('groups the digits of amounts and quantities by thousands', () => {
    expect([0n, 99n, -100n, 99_999n, -100_000n, 123_456_789_012n].map((minor) => amountFigure(minor, 'EUR'))).toEqual([
      '0.00',
      '0.99',
      '-1.00',
      '999.99',
      '-1,000.00',
      '1,234,567,890.12',
    ]);
    expect([amountFigure(1_234_567n, 'JPY'), amountFigure(1_234_567n, 'KWD')]).toEqual(['1,234,567', '1,234.567']);
    expect([1, 999, 1000, 10_000_000].map(quantityFigure)).toEqual(['1', '999', '1,000', '10,000,000']);
  });

  it('says rates with as many decimals as they have', () => {
    expect([0, 1900, 2550, 810, 1905].map(percentFigure)).toEqual(['0 %', '19 %', '25.5 %', '8.1 %', '19.05 %']);
  });

  it('says what one costs exactly where it can, and marks it where it cannot', () => {
    const unitPrice = (minor: bigint, quantity: number) => unitPriceFigure(minor, quantity, 'EUR');
    expect(unitPrice(1000n, 1000)).toBe('0.01');
    expect(unitPrice(650_000n, 1_000_000)).toBe('0.0065');
    expect(unitPrice(123_456_700n, 10)).toBe('123,456.70');
    expect(unitPrice(-1500n, 3)).toBe('-5.00');
    expect(unitPrice(1234n, 3)).toBe('~ 4.11');
    expect(unitPrice(-1001n, 3)).toBe('~ -3.34');
    expect(unitPrice(19_000n, 20_001)).toBe('~ 0.0095');
    expect(unitPrice(500n, 0)).toBe('');
    expect(unitPriceFigure(1500n, 1000, 'JPY')).toBe('1.5');
    expect(unitPriceFigure(3000n, 3, 'JPY')).toBe('1,000');
    expect(unitPriceFigure(1000n, 3, 'JPY')).toBe('~ 333');
    expect(unitPriceFigure(1250n, 1000, 'KWD')).toBe('0.00125');
  });

  it('is the amount again when an exact price is taken as often as there are things', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 1_000_000 }), (minor, quantity) => {
        const figure = unitPriceFigure(minor, quantity, 'EUR');
        const [, marked = '', whole = '', rest = ''] = /^(~ )?([\d,]+)\.(\d{2,5})$/.exec(figure) ?? [];
        const price = BigInt(whole.replaceAll(',', '') + rest.padEnd(5, '0'));
        const difference = price * BigInt(quantity) - minor * 1000n;
        const tolerance = marked === '' ? 0n : BigInt(quantity) * (price >= 100_000n ? 500n : 1n);
        expect(difference <= tolerance && -difference <= tolerance).toBe(true);
      }),
    );
  });
});
