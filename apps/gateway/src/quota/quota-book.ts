import { DomainError, isUnavailable, newId, type Logger } from '@platform-backend/core';
import type { Lease, LeaseRequest, QuotaHolder, UnleasedRequests } from './lease.ts';
import {
  hasUnreportedUsage,
  hold,
  isBlank,
  newPage,
  refuse,
  reportOf,
  retireLeases,
  usableLease,
  wantsNext,
  type QuotaPage,
} from './quota-page.ts';

export interface QuotaBookPorts {
  /** Repeating a wish is safe and answers the same lease. */
  readonly lease: (holder: QuotaHolder, wish: LeaseRequest) => Promise<Lease>;
  /** Counts requests that had no lease. Repeating it is safe. */
  readonly report: (holder: QuotaHolder, requests: UnleasedRequests) => Promise<void>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Holders kept at most; beyond, the one that took a lease longest ago gives its leases back. */
  readonly maxHolders?: number;
}

/** What a request is told; undefined where nobody can say, and it is let through. */
export type Admission = Lease | undefined;

export interface QuotaBook {
  /** Counts one request. Waits only where no lease was asked for ahead: after a pause, or at the end of a limit. */
  admit(holder: QuotaHolder): Admission | Promise<Admission>;
  /** Counts a request that is let through although it was refused. */
  passAnyway(holder: QuotaHolder): void;
  /** Gives back what was leased and not used for a while, and reports what had no lease. */
  tidy(): void;
  /** Gives back and reports everything. */
  close(): Promise<void>;
}

/** A refusal, or that nobody can say, is believed for so long. */
const believedForMs = 1_000;

/** Others may take all of a lease before one who waited for it; so often means that something is wrong. */
const maxRounds = 100;

/** So many holders are settled with billing at once, so that the end of an outage is no rush. */
const settledAtOnce = 50;

interface Entry {
  readonly key: string;
  readonly page: QuotaPage;
  /** The call of billing that is under way for this holder. */
  asking: Promise<void> | undefined;
  /** Sent and not answered: sent again as it was, so that what it may have been granted is not lost. */
  unanswered: LeaseRequest | undefined;
  /** Requests that wait for it. */
  waiting: number;
  /** No longer in the book; what still comes in is given back. */
  leaving: boolean;
}

/**
 * Keeps the leases of this gateway. What is let through was leased before, so a hard limit holds over all gateways
 * without a call for every request. While billing is away everything is let through, and counted when it is back.
 */
export function quotaBook({ lease, report, logger, now, maxHolders = 10_000 }: QuotaBookPorts): QuotaBook {
  /** In the order in which they last took a lease. */
  const entries = new Map<string, Entry>();
  /** Out of the book, with something that billing has yet to be told. */
  const leaving = new Set<Entry>();
  /** Billing did not answer; nobody waits for it, and one caller asks again from then on. */
  let awayUntil: number | undefined;

  const entryOf = (holder: QuotaHolder): Entry => {
    const key = keyOf(holder);
    const known = entries.get(key);
    if (known) return known;
    const page = newPage(holder);
    const entry: Entry = { key, page, asking: undefined, unanswered: undefined, waiting: 0, leaving: false };
    if (entries.size >= maxHolders) evictOldest();
    entries.set(key, entry);
    return entry;
  };

  /** Who waits for a lease would still take from it, so those stay, even if the book grows beyond its bound for a moment. */
  const evictOldest = (): void => {
    for (const entry of entries.values()) {
      if (entry.asking || entry.waiting > 0) continue;
      leave(entry);
      return;
    }
  };

  /** Takes a holder out of the book and gives back all that it has. */
  const leave = (entry: Entry): void => {
    entry.leaving = true;
    entries.delete(entry.key);
    retireLeases(entry.page, now());
    if (!owes(entry)) return;
    const [oldest] = leaving;
    // In an outage without end: billing counts as used what it is told nothing of.
    if (oldest && leaving.size >= maxHolders) leaving.delete(oldest);
    leaving.add(entry);
    if (mayAskAgain(now())) void settleOnce(entry);
  };

  const failed = (error: unknown): void => {
    if (awayUntil === undefined)
      logger.warn({ event: 'quota.billing_unavailable', err: error }, 'billing is away, requests are let through');
    awayUntil = now() + believedForMs;
  };

  /** One call of billing: gives back at most one lease that is over, and takes a new one unless `requested` is zero. */
  const ask = async (entry: Entry, requested: number): Promise<void> => {
    const { page } = entry;
    const wish = (entry.unanswered ??= wishOf(page, requested));
    try {
      const answer = await lease(page.holder, wish);
      entry.unanswered = undefined;
      awayUntil = undefined;
      if (answer.granted > 0) hold(page, answer, now());
      else if (wish.requested > 0) refuse(page, answer, now() + believedForMs);
    } catch (error) {
      page.askAheadAt = now() + believedForMs;
      if (isUnanswered(error)) {
        failed(error);
        return;
      }
      logger.warn(
        { event: 'quota.lease_failed', err: error },
        'no quota can be leased for a caller, its requests are let through',
      );
      entry.unanswered = undefined;
      page.passUntil = now() + believedForMs;
    }
  };

  const askOnce = (entry: Entry): Promise<void> =>
    (entry.asking ??= ask(entry, entry.page.batch).finally(() => {
      entry.asking = undefined;
      // Those that lease stay; what nobody asks for grows old.
      if (entry.leaving) return;
      entries.delete(entry.key);
      entries.set(entry.key, entry);
    }));

  /** The answer to one request, unless it has to wait for a lease. */
  const fromPage = (entry: Entry): { readonly admission: Admission } | undefined => {
    const { page } = entry;
    const time = now();
    const held = usableLease(page, time);
    if (held) {
      held.used += 1;
      if (awayUntil === undefined && !entry.asking && wantsNext(page, held, time)) void askOnce(entry);
      return { admission: held.lease };
    }
    if (awayUntil !== undefined) {
      if (mayAskAgain(time)) void askOnce(entry);
      page.unleased += 1;
      return { admission: undefined };
    }
    if (page.passUntil > time) {
      page.unleased += 1;
      return { admission: undefined };
    }
    return page.refusedUntil > time ? { admission: page.refusal } : undefined;
  };

  /** During an outage one caller asks, and then nobody for a while. */
  const mayAskAgain = (time: number): boolean => {
    if (awayUntil === undefined) return true;
    if (awayUntil > time) return false;
    awayUntil = time + believedForMs;
    return true;
  };

  const admitLater = async (entry: Entry): Promise<Admission> => {
    entry.waiting += 1;
    try {
      for (let round = 0; round < maxRounds; round += 1) {
        await askOnce(entry);
        const answer = fromPage(entry);
        if (answer) return answer.admission;
      }
    } finally {
      entry.waiting -= 1;
    }
    entry.page.unleased += 1;
    return undefined;
  };

  /** Tells billing all that it has to know about a holder; what can't be told now is told the next time. */
  const settle = async (entry: Entry): Promise<void> => {
    const { page } = entry;
    while (page.retired.length > 0 || entry.unanswered) {
      await ask(entry, 0);
      if (awayUntil !== undefined) return;
      if (entry.leaving) retireLeases(page, now());
    }
    const unreported = reportOf(page, now());
    if (!unreported) return;
    try {
      await report(page.holder, unreported);
      page.unreported = undefined;
      awayUntil = undefined;
    } catch (error) {
      if (isUnanswered(error)) {
        failed(error);
        return;
      }
      logger.warn({ event: 'quota.report_failed', err: error }, 'requests of a caller can not be counted');
      page.unreported = undefined;
    }
  };

  const settleOnce = (entry: Entry): Promise<void> =>
    (entry.asking ??= settle(entry).finally(() => {
      entry.asking = undefined;
      if (!owes(entry)) leaving.delete(entry);
    }));

  return {
    admit(holder) {
      const entry = entryOf(holder);
      const answer = fromPage(entry);
      return answer ? answer.admission : admitLater(entry);
    },
    passAnyway(holder) {
      entryOf(holder).page.unleased += 1;
    },
    tidy() {
      const time = now();
      let settled = 0;
      for (const entry of [...leaving, ...entries.values()]) {
        if (entry.asking) continue;
        if (!usableLease(entry.page, time)) retireLeases(entry.page, time);
        if (owes(entry)) {
          if (settled < settledAtOnce && mayAskAgain(time)) void settleOnce(entry);
          settled += 1;
        } else if (isBlank(entry.page, time)) {
          entries.delete(entry.key);
        }
      }
    },
    async close() {
      await Promise.all([...entries.values()].map(async ({ asking }) => asking));
      for (const entry of [...entries.values()]) leave(entry);
      await Promise.all([...leaving].map(settleOnce));
    },
  };
}

const keyOf = ({ organisationId, clientGroupId = '', apiKeyId = '' }: QuotaHolder): string =>
  `${organisationId} ${clientGroupId} ${apiKeyId}`;

/** Whether billing has to be told something about a holder. */
const owes = ({ unanswered, page }: Entry): boolean => unanswered !== undefined || hasUnreportedUsage(page);

/** Whether nobody knows if billing did what it was asked for: the same is asked once more, so that nothing is counted twice or lost. */
const isUnanswered = (error: unknown): boolean => !(error instanceof DomainError) || isUnavailable(error);

function wishOf(page: QuotaPage, requested: number): LeaseRequest {
  const last = page.retired.shift();
  return {
    leaseId: newId(),
    requested,
    lastLeaseId: last?.lease.leaseId ?? null,
    usedOfLastLease: last?.used ?? 0,
  };
}
