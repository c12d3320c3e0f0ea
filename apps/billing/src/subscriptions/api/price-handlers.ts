import type { PriceInput, PriceServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { pageOfAll } from '../../payments/api/page-of-all.ts';
import { currencyOf } from '../../prices/domain/currency.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { creditPriceList, type ListedPrice } from '../../prices/domain/price-list.ts';
import type { SeatOffer } from '../domain/parse-seat-prices.ts';
import { seatPriceList } from '../domain/seat-prices.ts';

/** Prices of seats and of credits: of all that is sold, which is known here alone. */
export const priceHandlers = (priceBook: PriceBook, seats: SeatOffer): PriceServiceHandlers<CallContext> => {
  const all = [...seatPriceList(seats, seats.trialDays), ...creditPriceList(priceBook)];
  return {
    listPrices(request) {
      const { kind } = request;
      const wanted = all.filter((price) => kind.length === 0 || kind.includes(kindOf(price)));
      return Promise.resolve(listAnswer('prices', pageOfAll(wanted, request), priceMessage));
    },
  };
};

const kindOf = ({ seat }: ListedPrice) => (seat ? ('SEAT' as const) : ('CREDITS' as const));

function priceMessage(price: ListedPrice): PriceInput {
  const { digits, minimum } = currencyOf(price.currency);
  return {
    id: price.id,
    version: price.version,
    kind: kindOf(price),
    currency: price.currency,
    currencyDecimals: digits,
    minimumMinor: minimum.toString(),
    tier: price.seat?.tier ?? null,
    renewalCycle: price.seat?.renewalCycle ?? null,
    includedCredits: price.seat?.includedCredits.toString() ?? null,
    trialDays: price.seat?.trialDays || null,
    unitAmountMinor: price.seat?.unitAmountMinor.toString() ?? null,
    tiers: (price.tiers ?? []).map(({ fromCredits, minorUnitsPerThousand }) => ({
      fromCredits: fromCredits.toString(),
      minorPerThousand: minorUnitsPerThousand.toString(),
    })),
  };
}
