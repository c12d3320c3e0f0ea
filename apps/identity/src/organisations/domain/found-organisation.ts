import { decided, type Decision } from '@platform-backend/core';
import type { ClientGroup } from '../../client-groups/domain/client-group.ts';
import { createClientGroup } from '../../client-groups/domain/create-client-group.ts';
import type { IdentityEvent } from '../../events.ts';
import { memberAdded } from '../../members/domain/member-events.ts';
import type { Member, MemberUser } from '../../members/domain/member.ts';
import { organisationCreated } from './organisation-events.ts';
import { firstSubscription, type Organisation } from './organisation.ts';

export interface FoundOrganisationInput extends Pick<Organisation, 'id' | 'email' | 'name' | 'imageUrl'> {
  readonly memberId: string;
  readonly groupId: string;
}

/** A new organisation together with what it never is without. */
export interface FoundedOrganisation {
  readonly organisation: Organisation;
  readonly owner: Member;
  readonly defaultGroup: ClientGroup;
}

/** How the client group is called that every organisation starts with. */
export const defaultGroupName = 'Default';

/** Makes an organisation with its founder as OWNER and a default client group (D26). */
export function foundOrganisation(
  wanted: FoundOrganisationInput,
  founder: MemberUser,
  at: Date,
): Decision<FoundedOrganisation, IdentityEvent> {
  const organisation: Organisation = {
    id: wanted.id,
    email: wanted.email,
    name: wanted.name,
    imageUrl: wanted.imageUrl,
    subscription: firstSubscription(at),
    createdAt: at,
  };
  const owner: Member = {
    id: wanted.memberId,
    user: founder,
    email: founder.email,
    level: 'OWNER',
    status: 'active',
    createdAt: at,
    invitedBy: '',
    invitationExpiresAt: null,
  };
  const group = createClientGroup({ id: wanted.groupId, name: defaultGroupName, description: '', isDefault: true }, at);
  const founded = { organisation, owner, defaultGroup: group.state };
  return decided(founded, [
    organisationCreated(organisation, founder, at),
    memberAdded(null, owner, at),
    ...group.events,
  ]);
}
