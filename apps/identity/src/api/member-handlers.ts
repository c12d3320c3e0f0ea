import { invalid } from '@platform/core';
import type { InvitationInput, MemberServiceHandlers, MemberStatus } from '@platform/contract/identity';
import { fieldsGiven, type CallContext } from '@platform/grpc';
import type { IdentityApp } from '../app/identity-app.ts';
import type { ChangeMember } from '../domain/members/change-member.ts';
import type { Invitation } from '../domain/members/members.ts';
import { actingOf, personOf } from './acting.ts';
import { memberMessage } from './organisation-messages.ts';

const area = 'members';

export const memberHandlers = (app: IdentityApp): MemberServiceHandlers<CallContext> => ({
  async listMembers(request, context) {
    const organisationId = context.organisationId();
    const { items, nextCursor, total } = await app.listMembers(organisationId, request.status, request);
    return { members: items.map(memberMessage), nextCursor, totalCount: total };
  },

  async getMember({ memberId }, context) {
    return memberMessage(await app.getMember(context.organisationId(), memberId));
  },

  async inviteMember({ email, permissionLevel }, context) {
    return memberMessage(await app.inviteMember(actingOf(context, area), { email, level: permissionLevel }));
  },

  async updateMember({ memberId, permissionLevel, status, updateMask }, context) {
    const wanted = fieldsGiven<ChangeMember>(updateMask, {
      ...(permissionLevel && { permission_level: { level: permissionLevel } }),
      ...(status && { status: { status: settableStatus(status) } }),
    });
    return memberMessage(await app.updateMember(actingOf(context, area), memberId, wanted));
  },

  async removeMember({ memberId }, context) {
    const { id } = await app.removeMember(actingOf(context, area), memberId);
    return { id, deleted: true };
  },

  async listInvitations(request, context) {
    const { items, nextCursor, total } = await app.listInvitations(personOf(context), request);
    return { invitations: items.map(invitationMessage), nextCursor, totalCount: total };
  },

  async acceptInvitation({ invitationId }, context) {
    return memberMessage(await app.acceptInvitation(personOf(context), invitationId));
  },

  async declineInvitation({ invitationId }, context) {
    const { id } = await app.declineInvitation(personOf(context), invitationId);
    return { id, deleted: true };
  },
});

/** The other two are reached by inviting and by removing, which have rules of their own. */
function settableStatus(status: MemberStatus): 'active' | 'suspended' {
  if (status === 'active' || status === 'suspended') return status;
  throw invalid([
    {
      type: 'enum',
      loc: ['body', 'status'],
      msg: "Input should be 'active' or 'suspended'",
      input: status,
      ctx: { expected: "'active' or 'suspended'" },
    },
  ]);
}

const invitationMessage = ({ id, organisationId, organisationName, member }: Invitation): InvitationInput => ({
  id,
  organisationId,
  organisationName,
  invitedBy: member.invitedBy,
  permissionLevel: member.level,
  createdAt: member.createdAt,
  expiresAt: member.invitationExpiresAt,
});
