import { priceOf, type Price, type PriceQuestion } from '../../domain/prices/price-book.ts';
import type { CreditParts } from '../credits/credit-parts.ts';

/** What a purchase of credits would cost. */
export const previewPrice =
  ({ priceBook }: CreditParts) =>
  (question: PriceQuestion): Price =>
    priceOf(priceBook, question, 'query');
