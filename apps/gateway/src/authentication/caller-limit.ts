import type { Caller } from '@platform-backend/auth';
import type { DomainError } from '@platform-backend/core';
import { credentialLimitReached } from '../errors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';

export interface CallerLimitOptions {
  /** Requests of one credential within a minute, in the long run. */
  readonly perMinute: number;
  /** How many it may send at once after a pause. */
  readonly burst: number;
  /** How many credentials are remembered; whoever was silent longest is forgotten first. */
  readonly maxCallers: number;
  /** Milliseconds that only go forward. */
  readonly monotonic?: () => number;
  /** Told of what passes, for the other gateways. */
  readonly counted?: (credential: string, requests: number) => void;
}

export interface CallerLimit {
  /**
   * Counts a request of a caller as so many as it costs. The 429 when that was one too many (D24), which is not counted: trying
   * again makes no wait longer.
   */
  readonly admit: (exchange: Exchange, caller: Caller, cost: number) => DomainError | undefined;
  /** Counts what another gateway has let through. */
  readonly countElsewhere: (credential: string, requests: number) => void;
}

/** What a caller may still send at once, at a moment in milliseconds. */
interface Bucket {
  left: number;
  at: number;
}

const WINDOW_SECONDS = 60;

/**
 * Limits how often one credential comes: a bucket of `burst` requests that fills evenly, `perMinute` of them a minute. A
 * person is counted as one, however often the token is renewed and whatever organisation it is used in. It counts in this
 * process; what the others have let through is taken away as well, down to a minute's requests that are owed, so that in the
 * long run all gateways together let `perMinute` pass.
 */
export function callerLimit({
  perMinute,
  burst,
  maxCallers,
  monotonic = () => performance.now(),
  counted,
}: CallerLimitOptions): CallerLimit {
  const perMs = perMinute / (WINDOW_SECONDS * 1000);
  // A Map keeps the order of insertion and every request inserts anew, so whoever was silent longest is first.
  const buckets = new Map<string, Bucket>();

  const bucketOf = (name: string): Bucket => {
    const at = monotonic();
    const found = buckets.get(name);
    const bucket = found ?? { left: burst, at };
    if (found) {
      bucket.left = Math.min(burst, bucket.left + (at - bucket.at) * perMs);
      bucket.at = at;
      buckets.delete(name);
    } else if (buckets.size >= maxCallers) {
      const [silent] = buckets.keys();
      if (silent !== undefined) buckets.delete(silent);
    }
    buckets.set(name, bucket);
    return bucket;
  };

  return {
    admit(exchange, { apiKeyId, userId }, cost) {
      const name = apiKeyId ?? userId;
      if (name === undefined) return undefined;
      const bucket = bucketOf(name);
      // Whatever costs more than a bucket holds is let through by a full one.
      const requests = Math.min(cost, burst);
      if (bucket.left >= requests) {
        bucket.left -= requests;
        counted?.(name, requests);
        return undefined;
      }
      return tooManyRequests(exchange, {
        name: 'credential',
        error: credentialLimitReached,
        limit: perMinute,
        window: WINDOW_SECONDS,
        left: Math.max(0, Math.floor(bucket.left)),
        msUntilNext: (requests - bucket.left) / perMs,
      });
    },
    countElsewhere(name, requests) {
      const bucket = bucketOf(name);
      bucket.left = Math.max(-perMinute, bucket.left - requests);
    },
  };
}
