import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { seatsInUse } from './errors.ts';
import { organisationDeleted, organisationUpdated } from './organisation-events.ts';
import type { Organisation, Subscription } from './organisation.ts';

export interface ChangeOrganisation {
  readonly email?: string;
  readonly name?: string;
  readonly imageUrl?: string;
}

/** Changes the fields given; the same values again change nothing and are no event. */
export function changeOrganisation(
  organisation: Organisation,
  wanted: ChangeOrganisation,
  at: Date,
): Decision<Organisation, IdentityEvent> {
  const next: Organisation = { ...organisation, ...wanted };
  const events = organisationUpdated(organisation, next, at);
  return events.length === 0 ? unchanged(organisation) : { state: next, events, result: next };
}

/** What billing says, and how sure it wants to be that the seats suffice. */
export interface ApplySubscription {
  readonly subscription: Omit<Subscription, 'seatsExpiredAt'> & {
    /** Null: what it was, as where nothing was ever bought. */
    readonly seatsExpiredAt: Date | null;
  };
  /** With more active members than this the report is refused. Absent: any number will do. */
  readonly maxActiveMembers?: number;
}

/**
 * Takes over what billing says about the subscription. A version that is not newer than the stored one changes
 * nothing, so reports may arrive twice and out of order. Fewer seats than active members are refused where billing
 * asks for it, as it is what somebody has just asked for; otherwise they are accepted, as billing is the one who
 * knows: nobody is thrown out, but nobody new gets in. CONFLICT: more members are active than billing asks for.
 */
export function applySubscription(
  organisation: Organisation,
  activeMembers: number,
  { subscription, maxActiveMembers = Infinity }: ApplySubscription,
  at: Date,
): Decision<Organisation, IdentityEvent> {
  if (subscription.version <= organisation.subscription.version) return unchanged(organisation);
  if (activeMembers > maxActiveMembers) throw seatsInUse();
  const next: Organisation = {
    ...organisation,
    subscription: {
      ...subscription,
      seatsExpiredAt: subscription.seatsExpiredAt ?? organisation.subscription.seatsExpiredAt,
    },
  };
  return { state: next, events: organisationUpdated(organisation, next, at), result: next };
}

/** Ends the organisation for all its members. Its audit log is kept, everything else goes with it. */
export const deleteOrganisation = (organisation: Organisation, at: Date): Decision<null, IdentityEvent, Organisation> =>
  decided(null, organisationDeleted(organisation, at), organisation);
