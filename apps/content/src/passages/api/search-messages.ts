import type { SearchHitInput, SearchQuoteInput } from '@platform-backend/contract-content';
import type { Hit, Quote } from '../domain/search.ts';

export const quoteMessage = ({ text, start, end, highlights }: Quote): SearchQuoteInput => ({
  ...{ text, start, end },
  highlights: highlights.map(({ start: from, end: to }) => ({ start: from, end: to })),
});

export const hitMessage = ({ ordinal: _ordinal, quote, ...hit }: Hit): SearchHitInput => ({
  ...hit,
  quote: quoteMessage(quote),
});
