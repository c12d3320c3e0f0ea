import { describe, expect, it } from '@jest/globals';
import { amountText, currencyOf, isCurrency, majorUnits, roundedHalfUp } from './currency.ts';

describe('a currency', () => {
  it('has as many decimals as the processor takes minor units for', () => {
    const digits = (code: string) => currencyOf(code).digits;
    expect(['JPY', 'KRW', 'EUR', 'ISK', 'UGX', 'KWD', 'TND'].map(digits)).toEqual([0, 0, 2, 2, 2, 3, 3]);
  });

  it('writes amounts with these decimals, whatever their size and sign', () => {
    const written = (code: string) =>
      [0n, 5n, -5n, 1_234n, -100n, 123_456_789_012_345_678n].map((minor) => amountText(minor, code));
    expect(written('EUR')).toEqual(['0.00', '0.05', '-0.05', '12.34', '-1.00', '1234567890123456.78']);
    expect(written('JPY')).toEqual(['0', '5', '-5', '1234', '-100', '123456789012345678']);
    expect(written('KWD')).toEqual(['0.000', '0.005', '-0.005', '1.234', '-0.100', '123456789012345.678']);
    expect([majorUnits(1234n, 'EUR'), majorUnits(1234n, 'JPY'), majorUnits(1230n, 'KWD')]).toEqual([12.34, 1234, 1.23]);
  });

  it('has a smallest amount that can be paid', () => {
    const minimum = (code: string) => currencyOf(code).minimum;
    expect(['USD', 'GBP', 'JPY', 'HUF', 'KWD', 'KRW', 'ISK'].map(minimum)).toEqual([
      50n,
      30n,
      50n,
      17_500n,
      10n,
      1n,
      100n,
    ]);
  });

  it('is rounded half up to what can be paid', () => {
    const rounded = (amount: bigint, code: string) => roundedHalfUp(amount, 10n, code);
    expect([rounded(14n, 'EUR'), rounded(15n, 'EUR'), rounded(15n, 'JPY')]).toEqual([1n, 2n, 2n]);
    // The last of three decimals is always 0, and there are no parts of an ISK.
    expect([rounded(51_249n, 'KWD'), rounded(51_250n, 'KWD'), rounded(1_499n, 'ISK')]).toEqual([5_120n, 5_130n, 100n]);
  });

  it.each(['XYZ', 'DEM', 'BTC', 'eur', ''])('is none that nothing can be paid in: "%s"', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => currencyOf(code)).toThrow('nothing can be paid in');
  });
});
