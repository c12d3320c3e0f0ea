import type { Caller } from '@platform/auth';
import { paymentRequired, type DomainError } from '@platform/core';
import type { Exchange } from '../exchange/exchange.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';
import type { Lease, QuotaHolder } from '../quota/lease.ts';
import type { Admission, QuotaBook } from '../quota/quota-book.ts';

/**
 * Counts the requests of members and API keys against the policy of their client group. A limit that is near or
 * passed is told in `X-Credit-Warning`. At a hard limit of requests the answer is 429, at one of credits 402 for what
 * would spend them. Without a book nothing is counted.
 */
export const quotaPolicy = (book: QuotaBook | undefined): PolicyDefinition => ({
  name: 'quota',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const holder = book && exchange.target.route && holderOf(exchange.caller);
    if (!holder) {
      next(exchange);
      return;
    }
    const admission = book.admit(holder);
    if (admission instanceof Promise) return admission.then((later) => pass(exchange, book, holder, later, next));
    pass(exchange, book, holder, admission, next);
  },
});

function holderOf(caller: Caller | undefined): QuotaHolder | undefined {
  if (caller?.organisationId === undefined) return undefined;
  const { organisationId, usageGroupId: clientGroupId, apiKeyId } = caller;
  return { organisationId, clientGroupId, apiKeyId };
}

function pass(exchange: Exchange, book: QuotaBook, holder: QuotaHolder, admission: Admission, next: Next): void {
  if (admission) {
    if (admission.state === 'OUT_OF_REQUESTS') {
      if (!mayRaiseLimits(exchange.caller)) throw outOfRequests(exchange, admission);
      book.passAnyway(holder);
    }
    const spends = exchange.target.route?.operation.access.spends;
    if (spends && admission.exhausted.includes(spends)) throw paymentRequired('credit_limit_reached');
    if (admission.message !== '') exchange.headers.push('X-Credit-Warning', admission.message);
  }
  next(exchange);
}

/** People who administer are counted and warned but never stopped: somebody has to be able to raise the limit. */
const mayRaiseLimits = (caller: Caller | undefined): boolean =>
  caller?.kind === 'user' && (caller.level === 'ADMIN' || caller.level === 'OWNER');

const outOfRequests = (exchange: Exchange, { requestLimit, resetsAt }: Lease): DomainError =>
  tooManyRequests(exchange, {
    name: 'requests',
    code: 'request_limit_reached',
    limit: requestLimit ?? 0,
    msUntilNext: (resetsAt?.getTime() ?? 0) - Date.now(),
  });
