import type { Logger } from '@platform-backend/core';

/** What repeated work finds to do. */
interface Found {
  readonly organisationId: string;
  readonly id: string;
}

export interface ForEachIsolatedOptions {
  readonly logger: Pick<Logger, 'warn'>;
  /** For the log: `a deleted report could not be ended now`. */
  readonly failure: string;
  readonly stopping: AbortSignal;
}

/**
 * Does the work for each, one after the other, until the process stops. What fails keeps nobody else waiting: whoever looks next finds
 * it again.
 */
export async function forEachIsolated<One extends Found>(
  found: readonly One[],
  work: (one: One) => Promise<unknown>,
  { logger, failure, stopping }: ForEachIsolatedOptions,
): Promise<void> {
  for (const one of found) {
    if (stopping.aborted) return;
    try {
      await work(one);
    } catch (error) {
      logger.warn(
        { event: 'due_item.failed', err: error, organisationId: one.organisationId, id: one.id },
        `${failure}, trying again`,
      );
    }
  }
}
