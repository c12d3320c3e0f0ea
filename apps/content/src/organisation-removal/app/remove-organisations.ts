import { newId, serviceActorContext, type Clock, type Logger } from '@platform-backend/core';
import { endRemoval, type OrganisationRemovals } from '../domain/organisation-removal.ts';

/** Removes all of one kind that an organisation has, bytes included. May be repeated. */
export type RemoveAll = (organisationId: string) => Promise<unknown>;

export interface RemovalPorts {
  readonly removals: OrganisationRemovals;
  /** One after the other: what is made of something else goes before it. */
  readonly kinds: readonly RemoveAll[];
  readonly clock: Clock;
}

const roundSize = 20;

/**
 * Removes what is kept of deleted organisations, and what still comes of them later. Each step is safe to repeat, so that a process may die between any two of
 * them, and two replicas may be at the same one.
 */
export async function removeOrganisations(ports: RemovalPorts, logger: Logger): Promise<number> {
  const { removals, kinds, clock } = ports;
  const due = await removals.due(clock.now(), roundSize);
  for (const organisationId of due) {
    try {
      for (const removeAll of kinds) await removeAll(organisationId);
      const by = serviceActorContext('content', organisationId, newId());
      await removals.update(by, organisationId, (removal) => endRemoval(removal, clock.now()));
    } catch (error) {
      logger.warn(
        { event: 'organisation_removal.failed', err: error, organisationId },
        'a deleted organisation could not be removed now, trying again',
      );
    }
  }
  return due.length;
}
