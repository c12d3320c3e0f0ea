import type { DeclaredError, DomainError } from '@platform-backend/core';
import type { Exchange } from './exchange.ts';

export interface ReachedLimit {
  /** What the headers call it. */
  readonly name: string;
  readonly error: DeclaredError;
  /** Requests within a window. */
  readonly limit: number | string;
  /** Seconds; undefined where windows differ in length. */
  readonly window?: number;
  /** What is left for something that costs less than what is refused; nothing unless given. */
  readonly left?: number;
  readonly msUntilNext: number;
}

/** The 429 of a limit that is used up; its headers say when to come back (D20). */
export function tooManyRequests(
  exchange: Exchange,
  { name, error, limit, window, left = 0, msUntilNext }: ReachedLimit,
): DomainError {
  const seconds = Math.max(1, Math.ceil(msUntilNext / 1000));
  const policy = `"${name}";q=${limit}${window === undefined ? '' : `;w=${window}`}`;
  exchange.headers.push('RateLimit', `"${name}";r=${left};t=${seconds}`, 'RateLimit-Policy', policy);
  return error({ retryAfterSeconds: seconds });
}
