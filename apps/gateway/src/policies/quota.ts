import type { Caller } from '@platform-backend/auth';
import type { DomainError, PermissionLevel } from '@platform-backend/core';
import { creditLimitReached, requestLimitReached } from '../errors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';
import type { PolicyDefinition } from '../pipeline/policy.ts';
import type { Lease, QuotaHolder } from '../quota/lease.ts';
import type { Admission, QuotaBook } from '../quota/quota-book.ts';

type Levels = ReadonlySet<PermissionLevel>;

/**
 * Counts the requests of members and API keys against the policy of their client group. A limit that is near or
 * passed is told in `X-Credit-Warning`. At a hard limit of requests the answer is 429, at one of credits 402 for what
 * would spend them. People of a level that passes the limit of requests are counted and warned, never stopped by it.
 * Without a book nothing is counted.
 */
export const quotaPolicy = (book: QuotaBook | undefined, passingLevels: Levels): PolicyDefinition => ({
  name: 'quota',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const holder = book && exchange.target.route && holderOf(exchange.caller);
    if (!holder) {
      next(exchange);
      return;
    }
    const decide = (admission: Admission): void => {
      if (admission?.state === 'OUT_OF_REQUESTS') {
        if (!isOneOf(passingLevels, exchange.caller)) throw outOfRequests(exchange, admission);
        book.passAnyway(holder);
      }
      if (admission) checkCredits(exchange, admission);
      next(exchange);
    };
    const admission = book.admit(holder);
    if (admission instanceof Promise) return admission.then(decide);
    decide(admission);
  },
});

function holderOf(caller: Caller | undefined): QuotaHolder | undefined {
  if (caller?.organisationId === undefined) return undefined;
  const { organisationId, clientGroupId, apiKeyId } = caller;
  return { organisationId, clientGroupId, apiKeyId };
}

const isOneOf = (levels: Levels, caller: Caller | undefined): boolean =>
  caller?.kind === 'user' && caller.level !== undefined && levels.has(caller.level);

/** Refuses what would spend credits that are used up, and tells about a limit that is near. */
function checkCredits(exchange: Exchange, { exhausted, message }: Lease): void {
  const spends = exchange.target.route?.operation.access.spends;
  if (spends && exhausted.includes(spends)) throw creditLimitReached();
  if (message !== '') exchange.headers.push('X-Credit-Warning', message);
}

const outOfRequests = (exchange: Exchange, { requestLimit, resetsAt }: Lease): DomainError =>
  tooManyRequests(exchange, {
    name: 'requests',
    error: requestLimitReached,
    limit: requestLimit ?? 0,
    msUntilNext: (resetsAt?.getTime() ?? 0) - Date.now(),
  });
