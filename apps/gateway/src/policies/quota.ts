import { DomainError, paymentRequired } from '@platform/core';
import type { Exchange } from '../exchange/exchange.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';
import type { Admission, QuotaBook } from '../quota/quota-book.ts';

/**
 * Counts the requests of API keys against the policy of their client group. A limit that is near or passed is told
 * in `X-Credit-Warning`; a hard one answers 402 for credits and 429 for requests. Without a book nothing is counted.
 */
export const quotaPolicy = (book: QuotaBook | undefined): PolicyDefinition => ({
  name: 'quota',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const { organisationId, apiKeyId } = exchange.caller ?? {};
    if (!book || !exchange.target.route || organisationId === undefined || apiKeyId === undefined) {
      next(exchange);
      return;
    }
    const admission = book.admit({ organisationId, apiKeyId });
    if (admission instanceof Promise) return admission.then((later) => pass(exchange, later, next));
    pass(exchange, admission, next);
  },
});

function pass(exchange: Exchange, admission: Admission, next: Next): void {
  if (admission) {
    const { granted, state, message } = admission;
    if (granted === 0 && state === 'OUT_OF_CREDITS') throw paymentRequired('credit_limit_reached');
    if (granted === 0 && state === 'OUT_OF_REQUESTS') throw outOfRequests(exchange, admission);
    if (state === 'WARNING') exchange.headers.push('X-Credit-Warning', message);
  }
  next(exchange);
}

function outOfRequests(exchange: Exchange, { requestLimit, resetsAt }: NonNullable<Admission>): DomainError {
  const seconds = Math.max(1, Math.ceil(((resetsAt?.getTime() ?? 0) - Date.now()) / 1000));
  exchange.headers.push(
    'RateLimit',
    `"requests";r=0;t=${seconds}`,
    'RateLimit-Policy',
    `"requests";q=${requestLimit ?? 0}`,
  );
  return new DomainError({ kind: 'rate_limited', code: 'request_limit_reached', retryAfterSeconds: seconds });
}
