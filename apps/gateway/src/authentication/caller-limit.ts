import type { Caller } from '@platform-backend/auth';
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
}

/** Counts a request of a caller; throws the 429 when that was one too many (D24). */
export type CallerLimit = (exchange: Exchange, caller: Caller) => void;

/** What a caller may still send at once, at a moment in milliseconds. */
interface Bucket {
  left: number;
  at: number;
}

const WINDOW_SECONDS = 60;

/**
 * Limits how often one credential comes: a bucket of `burst` requests that fills evenly, `perMinute` of them a minute. A
 * person is counted as one, however often the token is renewed and whatever organisation it is used in. It counts in
 * this process alone: several gateways allow several times as much.
 */
export function callerLimit({
  perMinute,
  burst,
  maxCallers,
  monotonic = () => performance.now(),
}: CallerLimitOptions): CallerLimit {
  const perMs = perMinute / (WINDOW_SECONDS * 1000);
  // A Map keeps the order of insertion and every request inserts anew, so whoever was silent longest is first.
  const buckets = new Map<string, Bucket>();

  const bucketOf = (name: string): Bucket => {
    const at = monotonic();
    const bucket = buckets.get(name);
    if (!bucket) return { left: burst, at };
    bucket.left = Math.min(burst, bucket.left + (at - bucket.at) * perMs);
    bucket.at = at;
    buckets.delete(name);
    return bucket;
  };

  return (exchange, { apiKeyId, userId }) => {
    const name = apiKeyId ?? userId;
    if (name === undefined) return;
    const bucket = bucketOf(name);
    buckets.set(name, bucket);
    if (buckets.size > maxCallers) {
      const [silent] = buckets.keys();
      if (silent !== undefined) buckets.delete(silent);
    }
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    throw tooManyRequests(exchange, {
      name: 'credential',
      error: credentialLimitReached,
      limit: perMinute,
      window: WINDOW_SECONDS,
      msUntilNext: (1 - bucket.left) / perMs,
    });
  };
}
