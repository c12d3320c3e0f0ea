import { newId } from '@platform-backend/core';
import type { Lease, QuotaHolder, UnleasedRequests } from './lease.ts';

/** A lease and how many requests were let through on it. */
export interface HeldLease {
  readonly lease: Lease;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Until when requests are taken from it. */
  readonly until: number;
  used: number;
}

/** What the book keeps about one holder. */
export interface QuotaPage {
  readonly holder: QuotaHolder;
  /** The one that requests are taken from. */
  current: HeldLease | undefined;
  /** Asked for ahead, so that nobody waits when `current` is used up. */
  next: HeldLease | undefined;
  /** Over, and not yet given back. */
  retired: HeldLease[];
  /** The last answer that nothing is left, believed until `refusedUntil`: refused callers must not cost a call each. */
  refusal: Lease | undefined;
  refusedUntil: number;
  /** Nobody can say what this holder may; until then its requests pass. */
  passUntil: number;
  /** How many requests the next lease is asked for. */
  batch: number;
  /** No lease is asked for ahead before. */
  askAheadAt: number;
  /** Let through without a lease, and not yet reported. */
  unleased: number;
  unreported: UnleasedRequests | undefined;
}

const smallestBatch = 10;
/** The most that the contract lets anybody ask for at once. */
const maxBatch = 10_000;

export const newPage = (holder: QuotaHolder): QuotaPage => ({
  holder,
  current: undefined,
  next: undefined,
  retired: [],
  refusal: undefined,
  refusedUntil: 0,
  passUntil: 0,
  batch: smallestBatch,
  askAheadAt: 0,
  unleased: 0,
  unreported: undefined,
});

/** The lease that covers one more request at `now`, if there is one; those that are over are retired on the way. */
export function usableLease(page: QuotaPage, now: number): HeldLease | undefined {
  while (page.current && !covers(page.current, now)) {
    retire(page, page.current, now);
    page.current = page.next;
    page.next = undefined;
  }
  return page.current;
}

const covers = ({ lease, used, until }: HeldLease, now: number): boolean => used < lease.granted && until > now;

function retire(page: QuotaPage, held: HeldLease, now: number): void {
  page.retired.push(held);
  page.batch = batchAfter(page.batch, held, now);
}

/** Short of this, the end of a lease is near. */
const nearEndMs = 2_000;

/** Whether it is time to ask for the lease that follows the one in use. */
export const wantsNext = (page: QuotaPage, held: HeldLease, now: number): boolean =>
  !page.next && now >= page.askAheadAt && (held.used * 4 >= held.lease.granted * 3 || held.until - now < nearEndMs);

/**
 * Clocks of two machines differ. A lease that seems to be over on arrival must serve for a moment all the same, or
 * nobody would ever get through; one that seems to hold for long must not be kept from others. Billing counts on a
 * lease for a day.
 */
const shortestMs = 1_000;
const maxMs = 60_000;

/** Takes a lease in; it follows the one in use. */
export function hold(page: QuotaPage, lease: Lease, now: number): void {
  const until = Math.min(Math.max(lease.expiresAt.getTime(), now + shortestMs), now + maxMs);
  const held: HeldLease = { lease, since: now, until, used: 0 };
  if (!page.current) page.current = held;
  else page.next = held;
}

/** Nothing is left for the holder, which is believed until then. */
export function refuse(page: QuotaPage, refusal: Lease, until: number): void {
  page.refusal = refusal;
  page.refusedUntil = until;
  page.askAheadAt = until;
}

/** What has to be reported of the requests without a lease: the same until it is reported. */
export function reportOf(page: QuotaPage, now: number): UnleasedRequests | undefined {
  if (!page.unreported && page.unleased > 0) {
    page.unreported = { id: newId(), requests: page.unleased, occurredAt: new Date(now) };
    page.unleased = 0;
  }
  return page.unreported;
}

/** Ends every lease that the page holds. */
export function retireLeases(page: QuotaPage, now: number): void {
  for (const held of [page.current, page.next]) if (held) retire(page, held, now);
  page.current = undefined;
  page.next = undefined;
}

/** Nothing on it is worth keeping. */
export const isBlank = (page: QuotaPage, now: number): boolean =>
  !page.current && !page.next && page.refusedUntil <= now && page.passUntil <= now && !hasUnreportedUsage(page);

/** Whether billing has to be told something. */
export const hasUnreportedUsage = ({ retired, unleased, unreported }: QuotaPage): boolean =>
  retired.length > 0 || unleased > 0 || unreported !== undefined;

/** A lease is to last about so long: then few are asked for, and little is held back from others. */
const lastsMs = 2_000;

/** Larger when a lease was used up early, half when most of it was not used at all. */
function batchAfter(batch: number, { lease, since, used }: HeldLease, now: number): number {
  if (used >= lease.granted) {
    const factor = now - since < lastsMs / 8 ? 8 : now - since < lastsMs ? 2 : 1;
    return Math.min(maxBatch, batch * factor);
  }
  return used * 2 < lease.granted ? Math.max(smallestBatch, Math.floor(batch / 2)) : batch;
}
