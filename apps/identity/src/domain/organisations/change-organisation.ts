import { unchanged, type Decision } from '../identity-event.ts';
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
): Decision<Organisation> {
  const next: Organisation = { ...organisation, ...wanted };
  const events = organisationUpdated(organisation, next, at);
  return events.length === 0 ? unchanged(organisation) : { state: next, events, result: next };
}

/**
 * Takes over what billing says about the subscription. A version that is not newer than the stored one changes
 * nothing, so reports may arrive twice and out of order. Fewer seats than active members are accepted, as billing
 * is the one who knows: nobody is thrown out, but nobody new gets in.
 */
export function applySubscription(
  organisation: Organisation,
  subscription: Subscription,
  at: Date,
): Decision<Organisation> {
  if (subscription.version <= organisation.subscription.version) return unchanged(organisation);
  const next: Organisation = { ...organisation, subscription };
  return { state: next, events: organisationUpdated(organisation, next, at), result: next };
}

/** Ends the organisation for all its members. Its audit log is kept, everything else goes with it. */
export const deleteOrganisation = (organisation: Organisation, at: Date): Decision<Organisation> => ({
  state: organisation,
  events: [organisationDeleted(organisation, at)],
  result: organisation,
});
