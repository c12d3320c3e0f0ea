import { amountText, currencyOf } from '../../prices/domain/currency.ts';

/** `-1234567` minor units are `-12,345.67` in EUR. */
export const amountFigure = (minor: bigint, currency: string): string => grouped(amountText(minor, currency));

/** `1000000` is `1,000,000`. */
export const quantityFigure = (quantity: number): string => grouped(String(quantity));

/** 1900 hundredths of a percent are `19 %`, 2550 are `25.5 %`. */
export const percentFigure = (basisPoints: number): string => `${String(basisPoints / 100)} %`;

/**
 * What one of a quantity costs, as far as amounts tell: exactly where five decimals can, which is what prices per
 * thousand need, and otherwise rounded and marked so, for averages and parts of a period.
 */
export function unitPriceFigure(amountMinor: bigint, quantity: number, currency: string): string {
  const { digits } = currencyOf(currency);
  const [minor, count] = [amountMinor < 0n ? -amountMinor : amountMinor, BigInt(quantity)];
  if (count === 0n) return '';
  const sign = amountMinor < 0n ? '-' : '';
  // Thousandths of a minor unit: the fifth decimal where there are two.
  const exact = (minor * 1000n) % count === 0n;
  if (exact) return `${sign}${decimals((minor * 1000n) / count, digits)}`;
  const step = minor >= 10n ** BigInt(digits) * count ? 1000n : 1n;
  const rounded = (2n * minor * 1000n + step * count) / (2n * step * count);
  return `~ ${sign}${decimals(rounded * step, digits)}`;
}

/** Thousandths of a minor unit, with the decimals of the currency or as many more as it needs. */
function decimals(thousandths: bigint, digits: number): string {
  const figures = thousandths.toString().padStart(digits + 4, '0');
  const whole = figures.slice(0, -digits - 3);
  const rest = figures.slice(-digits - 3, figures.length - 3) + figures.slice(-3).replace(/0+$/, '');
  return grouped(rest === '' ? whole : `${whole}.${rest}`);
}

/** Groups the digits before the point. */
function grouped(figure: string): string {
  const [whole = '', ...rest] = figure.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}
