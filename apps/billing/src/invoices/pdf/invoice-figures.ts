import { amountText } from '../domain/invoice.ts';

/** `-1234567` minor units are `-12,345.67`. */
export const amountFigure = (minor: bigint): string => grouped(amountText(minor));

/** `1000000` is `1,000,000`. */
export const quantityFigure = (quantity: number): string => grouped(String(quantity));

/** 1900 hundredths of a percent are `19 %`, 2550 are `25.5 %`. */
export const percentFigure = (basisPoints: number): string => `${String(basisPoints / 100)} %`;

/**
 * What one of a quantity costs, as far as amounts tell: exactly where five decimals can, which is what prices per
 * thousand need, and otherwise rounded and marked so, for averages and parts of a period.
 */
export function unitPriceFigure(amountMinor: bigint, quantity: number): string {
  const [minor, count] = [amountMinor < 0n ? -amountMinor : amountMinor, BigInt(quantity)];
  if (count === 0n) return '';
  const sign = amountMinor < 0n ? '-' : '';
  // Thousandths of a minor unit: the fifth decimal.
  const exact = (minor * 1000n) % count === 0n;
  if (exact) return `${sign}${decimals((minor * 1000n) / count)}`;
  const step = minor >= 100n * count ? 1000n : 1n;
  const rounded = (2n * minor * 1000n + step * count) / (2n * step * count);
  return `~ ${sign}${decimals(rounded * step)}`;
}

/** A number of 1/100000, with two decimals or as many more as it needs. */
function decimals(hundredThousandths: bigint): string {
  const digits = hundredThousandths.toString().padStart(6, '0');
  return grouped(`${digits.slice(0, -5)}.${digits.slice(-5, -3)}${digits.slice(-3).replace(/0+$/, '')}`);
}

/** Groups the digits before the point. */
function grouped(figure: string): string {
  const [whole = '', ...decimals] = figure.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}
