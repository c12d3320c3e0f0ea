/** So many searches of an organisation one after the other that the reranker failed. */
export const MAX_RERANKING_FAILURES = 3;
/** How long it is not asked then, in milliseconds, until one search tries it again. */
export const RERANKING_PAUSE_MS = 30_000;
/** Organisations that are remembered; beyond, the one that failed first is forgotten. */
const MAX_REMEMBERED = 10_000;

/**
 * When a reranker that fails is not asked: each search would wait for it in vain. Of each organisation by itself, as one that asks too much
 * fails for itself alone.
 */
export interface RerankingPauses {
  /** Whether a search of the organisation asks it now; after a pause one does, and the others when that has succeeded. */
  readonly mayAsk: (organisationId: string, now: number) => boolean;
  readonly succeeded: (organisationId: string) => void;
  /** True: a pause begins with it. */
  readonly failed: (organisationId: string, now: number) => boolean;
}

interface Failing {
  failures: number;
  pausedUntil: number;
}

/** `now`: milliseconds of any clock that only goes on. */
export function rerankingPauses(): RerankingPauses {
  const failing = new Map<string, Failing>();
  return {
    mayAsk(organisationId, now) {
      const known = failing.get(organisationId);
      if (!known || known.failures < MAX_RERANKING_FAILURES) return true;
      if (now < known.pausedUntil) return false;
      // The others wait for what becomes of this one.
      known.pausedUntil = now + RERANKING_PAUSE_MS;
      return true;
    },
    succeeded: (organisationId) => void failing.delete(organisationId),
    failed(organisationId, now) {
      const known = failing.get(organisationId) ?? { failures: 0, pausedUntil: 0 };
      known.failures += 1;
      failing.set(organisationId, known);
      const [first] = failing.keys();
      if (failing.size > MAX_REMEMBERED && first !== undefined) failing.delete(first);
      if (known.failures < MAX_RERANKING_FAILURES) return false;
      known.pausedUntil = now + RERANKING_PAUSE_MS;
      return true;
    },
  };
}
