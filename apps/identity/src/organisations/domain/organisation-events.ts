import { changedFields } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import type { MemberUser } from '../../members/domain/member.ts';
import { organisationFields, type Organisation } from './organisation.ts';

export const organisationCreated = (organisation: Organisation, founder: MemberUser, at: Date): IdentityEvent => ({
  name: 'organisation.created',
  subject: organisation.id,
  at,
  data: {
    organisation_id: organisation.id,
    name: organisation.name,
    email: organisation.email,
    owner_user_id: founder.id,
  },
  change: { before: null, after: organisationFields(organisation) },
});

/** No event when nothing that can be seen has changed. */
export function organisationUpdated(before: Organisation, after: Organisation, at: Date): readonly IdentityEvent[] {
  const change = changedFields(organisationFields(before), organisationFields(after));
  const changed = Object.keys(change.after);
  if (changed.length === 0) return [];
  const data = { organisation_id: after.id, changed_fields: changed };
  return [{ name: 'organisation.updated', subject: after.id, at, data, change }];
}

export const organisationDeleted = (organisation: Organisation, at: Date): IdentityEvent => ({
  name: 'organisation.deleted',
  subject: organisation.id,
  at,
  data: { organisation_id: organisation.id },
  change: { before: organisationFields(organisation), after: null },
});
