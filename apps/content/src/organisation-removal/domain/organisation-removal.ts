import { unchanged, type ActorContext, type Decision } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';

/** The note that an organisation was deleted; it goes when nothing of the organisation can come any more. */
export interface OrganisationRemoval {
  /** The organisation's. */
  readonly id: string;
  readonly deletedAt: Date;
  /** When all that there is of it is to be removed next. */
  readonly dueAt: Date;
  /** When nothing was left of it, which was told. */
  readonly endedAt?: Date;
}

/** What was under way when it was removed may leave something behind: an upload by a signed URL, work of a process that dies. */
const SWEPT_EVERY_MS = 60 * 60_000;
/** Longer than a URL is good for, and than anything that has begun can take. */
const SWEPT_FOR_MS = 24 * 60 * 60_000;

export interface OrganisationRemovals {
  /** May be said again. A part of the transaction of the reaction. */
  readonly begin: (organisationId: string, deletedAt: Date) => Promise<void>;
  /** Organisations of which something may be left, those that wait longest first. */
  readonly due: (at: Date, limit: number) => Promise<readonly string[]>;
  readonly update: <Result>(
    by: ActorContext,
    organisationId: string,
    decide: (
      removal: OrganisationRemoval | undefined,
    ) => Decision<OrganisationRemoval | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
}

/** Whoever says it again changes nothing: the first one has said since when. */
export const beginRemoval = (
  removal: OrganisationRemoval | undefined,
  id: string,
  deletedAt: Date,
): Decision<OrganisationRemoval | undefined, ContentEvent> =>
  removal ? unchanged(removal) : { state: { id, deletedAt, dueAt: deletedAt }, events: [], result: undefined };

/**
 * Nothing is left of it, which is told the first time. It is looked at again for a day, because what was under way may come
 * after. Another replica may have said so already.
 */
export function endRemoval(
  removal: OrganisationRemoval | undefined,
  at: Date,
): Decision<OrganisationRemoval | undefined, ContentEvent> {
  if (!removal) return unchanged(removal);
  const { id, endedAt = at } = removal;
  const isOver = at.getTime() - endedAt.getTime() >= SWEPT_FOR_MS;
  const dueAt = new Date(at.getTime() + SWEPT_EVERY_MS);
  return {
    state: isOver ? undefined : { ...removal, endedAt, dueAt },
    events: removal.endedAt
      ? []
      : [{ name: 'organisation_content.removed', subject: id, at, data: { organisation_id: id } }],
    result: undefined,
  };
}
