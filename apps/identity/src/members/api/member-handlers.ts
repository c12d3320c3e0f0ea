import type { InvitationInput, MemberInput, MemberServiceHandlers } from '@platform-backend/contract-identity';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { MemberUseCases } from '../app/members.ts';
import type { Member } from '../domain/member.ts';
import type { Invitation } from '../domain/members.ts';
import { personOf } from './callers.ts';
import { settableStatus } from './settable-status.ts';

export const memberHandlers = (app: MemberUseCases): MemberServiceHandlers<CallContext> => ({
  listMembers: async (request, context) =>
    listAnswer('members', await app.listMembers(context.organisationId(), request.status, request), memberMessage),

  getMember: async ({ memberId }, context) => memberMessage(await app.getMember(context.organisationId(), memberId)),

  async resolveMembers({ userIds }, context) {
    const active = await app.activeMembers(context.organisationId(), userIds);
    return {
      members: active.flatMap(({ user, level }) =>
        user ? [{ userId: user.id, name: user.name, email: user.email, permissionLevel: level }] : [],
      ),
    };
  },

  inviteMember: async ({ email, permissionLevel }, context) =>
    memberMessage(await app.inviteMember(context.actorContext(), { email, level: permissionLevel })),

  async updateMember({ memberId, permissionLevel, status, updateMask }, context) {
    const given = fieldsGiven(updateMask, { permissionLevel, status });
    const wanted = {
      ...(given.permissionLevel && { level: given.permissionLevel }),
      ...(given.status && { status: settableStatus(given.status, ['active', 'suspended']) }),
    };
    return memberMessage(await app.updateMember(context.actorContext(), memberId, wanted));
  },

  async removeMember({ memberId }, context) {
    const { id } = await app.removeMember(context.actorContext(), memberId);
    return { id, deleted: true };
  },

  listInvitations: async (request, context) =>
    listAnswer('invitations', await app.listInvitations(personOf(context), request), invitationMessage),

  acceptInvitation: async ({ invitationId }, context) =>
    memberMessage(await app.acceptInvitation(personOf(context), invitationId)),

  async declineInvitation({ invitationId }, context) {
    const { id } = await app.declineInvitation(personOf(context), invitationId);
    return { id, deleted: true };
  },
});

/** A member is known under the address of the account; before there is one, under the address invited. */
const memberMessage = (member: Member): MemberInput => ({
  ...member,
  email: member.user?.email ?? member.email,
  permissionLevel: member.level,
});

const invitationMessage = ({ member, ...invitation }: Invitation): InvitationInput => ({
  ...invitation,
  invitedBy: member.invitedBy,
  permissionLevel: member.level,
  createdAt: member.createdAt,
  expiresAt: member.invitationExpiresAt,
});
