import { DomainError, isUuid, type ActorContext } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';

/** A call of pipelines on content's own authority for the organisation. */
export const pipelinesCall = ({ organisationId, requestId }: ActorContext, timeoutMs: number): CallOptions => ({
  caller: { organisationId },
  requestId,
  timeoutMs,
});

/** What has an id that clients may have written; undefined: nothing has. */
export async function findById<Found>(id: string, get: () => Promise<Found>): Promise<Found | undefined> {
  if (!isUuid(id)) return undefined;
  try {
    return await get();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return undefined;
    throw error;
  }
}
