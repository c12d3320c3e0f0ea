import { newId, type Logger } from '@platform/core';

/** Whose requests are counted. */
export interface QuotaHolder {
  readonly organisationId: string;
  readonly apiKeyId: string;
}

/** Requests that may be let through without asking again. */
export interface Lease {
  readonly leaseId: string;
  readonly granted: number;
  readonly expiresAt: Date;
  readonly state: 'OPEN' | 'WARNING' | 'OUT_OF_CREDITS' | 'OUT_OF_REQUESTS';
  readonly message: string;
  readonly requestLimit: string | null;
  /** When the limits begin anew. */
  readonly resetsAt: Date | null;
}

export interface LeaseWish {
  readonly leaseId: string;
  /** Zero only gives back what is left of the last one. */
  readonly requested: number;
  readonly lastLeaseId: string | null;
  readonly usedOfLastLease: number;
}

export interface QuotaBookParts {
  readonly lease: (holder: QuotaHolder, wish: LeaseWish) => Promise<Lease>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a request is told; undefined where nobody can say, and it is let through. */
export type Admission = Lease | undefined;

export interface QuotaBook {
  /** Counts one request. Waits only when a new lease is needed, about once in a batch. */
  admit(holder: QuotaHolder): Admission | Promise<Admission>;
  /** Gives back what was leased and not used for a while. */
  tidy(): void;
  /** Gives back everything. */
  close(): Promise<void>;
}

const smallestBatch = 10;
const largestBatch = 500;
/** A refusal, or that nobody can say, is believed for so long: refused callers must not cost a call each. */
const believedForMs = 1_000;

/** Others may take all of a lease before one who waited for it; so often means that something is wrong. */
const mostRounds = 100;

interface Page {
  readonly holder: QuotaHolder;
  lease: Lease | undefined;
  used: number;
  /** Until when a refusal or an outage is believed. */
  until: number;
  batch: number;
  asking: Promise<void> | undefined;
}

/**
 * Keeps the leases of this gateway. What is let through was leased before, so a hard limit holds over all gateways
 * without a call for every request; while billing is away everything is let through.
 */
export function quotaBook({ lease, logger, now }: QuotaBookParts): QuotaBook {
  const pages = new Map<string, Page>();

  const pageOf = (holder: QuotaHolder): Page => {
    const known = pages.get(holder.apiKeyId);
    if (known) return known;
    const page: Page = { holder, lease: undefined, used: 0, until: 0, batch: smallestBatch, asking: undefined };
    pages.set(holder.apiKeyId, page);
    return page;
  };

  /** Counts the request if the present lease or belief covers it. */
  const fromPage = (page: Page): { readonly admission: Admission } | undefined => {
    const { lease: held } = page;
    if (page.until > now()) return { admission: held };
    if (!held || held.expiresAt.getTime() <= now() || page.used >= held.granted) return undefined;
    page.used += 1;
    return { admission: held };
  };

  const renew = async (page: Page, requested: number): Promise<void> => {
    const last = page.lease;
    if (last && requested > 0) page.batch = nextBatch(page, last, now());
    const wish: LeaseWish = {
      leaseId: newId(),
      requested: requested === 0 ? 0 : page.batch,
      lastLeaseId: last?.leaseId ?? null,
      usedOfLastLease: page.used,
    };
    try {
      page.lease = await lease(page.holder, wish);
      page.used = 0;
      page.until = page.lease.granted === 0 ? now() + believedForMs : 0;
    } catch (error) {
      if (page.until === 0) logger.warn({ err: error }, 'no quota can be leased, requests are let through');
      page.lease = undefined;
      page.used = 0;
      page.until = now() + believedForMs;
    }
  };

  const ask = (page: Page, requested: number): Promise<void> =>
    (page.asking ??= renew(page, requested).finally(() => {
      page.asking = undefined;
    }));

  const admitLater = async (page: Page): Promise<Admission> => {
    for (let round = 0; round < mostRounds; round += 1) {
      await ask(page, page.batch);
      const answer = fromPage(page);
      if (answer) return answer.admission;
    }
    return undefined;
  };

  return {
    admit(holder) {
      const page = pageOf(holder);
      const answer = fromPage(page);
      return answer ? answer.admission : admitLater(page);
    },
    tidy() {
      for (const [key, page] of pages) {
        const { lease: held } = page;
        if (page.asking || page.until > now() || (held && held.expiresAt.getTime() > now())) continue;
        pages.delete(key);
        if (held && held.granted > 0) void renew(page, 0);
      }
    },
    async close() {
      const held = [...pages.values()].filter((page) => page.lease && page.lease.granted > 0);
      pages.clear();
      await Promise.all(
        held.map(async (page) => {
          await page.asking;
          await renew(page, 0);
        }),
      );
    },
  };
}

/** Twice as much when a lease was used up in its time, half when most of it was not. */
function nextBatch({ batch, used }: Page, last: Lease, now: number): number {
  if (used >= last.granted && last.expiresAt.getTime() > now) return Math.min(largestBatch, batch * 2);
  return used * 2 < last.granted ? Math.max(smallestBatch, Math.floor(batch / 2)) : batch;
}
