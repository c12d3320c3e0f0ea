import type { DomainError } from '@platform-backend/core';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressLimitReached } from '../errors.ts';
import { networkOf, type ClientAddressOf } from '../exchange/client-address.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';

export interface AddressLimitOptions {
  readonly clientAddressOf: ClientAddressOf;
  /** Requests of one address within an hour. */
  readonly perAddress: number;
  /** Requests of all addresses together within an hour, for whoever has many of them. */
  readonly total: number;
  /** Told of what passes, for the other gateways. */
  readonly counted?: (network: string, requests: number) => void;
}

export interface AddressLimit {
  /** Lets a request pass, or rejects with the 429 (D20). */
  readonly admit: (exchange: Exchange) => Promise<void>;
  /** Counts what another gateway has let through. */
  readonly countElsewhere: (network: string, requests: number) => void;
}

const WINDOW_SECONDS = 60 * 60;
const EVERYBODY = 'everybody';

/**
 * Limits who calls an opened operation without a credential (D15). The hour begins with the first request. It counts
 * in this process, and what the others tell that they have let through.
 */
export function addressLimit({ clientAddressOf, perAddress, total, counted }: AddressLimitOptions): AddressLimit {
  const ofOne = new RateLimiterMemory({ keyPrefix: 'one', points: perAddress, duration: WINDOW_SECONDS });
  const ofAll = new RateLimiterMemory({ keyPrefix: 'all', points: total, duration: WINDOW_SECONDS });

  /** Where the counter of all stands, once it is used up: then no further address is written down, so there is no filling our memory. */
  const usedUp = async (): Promise<RateLimiterRes | undefined> => {
    const all = await ofAll.get(EVERYBODY);
    return all !== null && all.remainingPoints <= 0 ? all : undefined;
  };
  const countElsewhere = async (network: string, requests: number): Promise<void> => {
    if (await usedUp()) return;
    await Promise.all([ofOne.penalty(network, requests), ofAll.penalty(EVERYBODY, requests)]);
  };

  return {
    admit: async (exchange) => {
      const network = networkOf(clientAddressOf(exchange.request));
      const all = await usedUp();
      if (all) throw refused(exchange, 'total', total, all);
      // An address beyond its own limit takes nothing from the others.
      const one = await exceeded(ofOne, network);
      if (one) throw refused(exchange, 'address', perAddress, one);
      const last = await exceeded(ofAll, EVERYBODY);
      if (last) throw refused(exchange, 'total', total, last);
      counted?.(network, 1);
    },
    // In this process's memory, so that nothing can fail.
    countElsewhere: (network, requests) => void countElsewhere(network, requests),
  };
}

/** Counts one request; answers where the counter stands if that was one too many. */
const exceeded = (limiter: RateLimiterMemory, key: string): Promise<RateLimiterRes | undefined> =>
  limiter.consume(key).then(
    () => undefined,
    (reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason;
      throw reason;
    },
  );

const refused = (
  exchange: Exchange,
  name: 'address' | 'total',
  limit: number,
  { msBeforeNext }: RateLimiterRes,
): DomainError =>
  tooManyRequests(exchange, {
    name,
    error: addressLimitReached,
    limit,
    window: WINDOW_SECONDS,
    msUntilNext: msBeforeNext,
  });
