import type { ClientGroupServiceHandlers } from '@platform/contract/identity';
import type { Clock } from '@platform/core';
import { fieldsGiven, type CallContext } from '@platform/grpc';
import type { IdentityApp } from '../app/identity-app.ts';
import type { ChangeClientGroup, ChangeClientGroupAccess } from '../domain/client-groups/change-client-group.ts';
import type { ChangeClientMember } from '../domain/client-groups/change-client-members.ts';
import type { ChangeClientWorkspace } from '../domain/client-groups/change-client-workspaces.ts';
import type { WholeClientGroup } from '../domain/client-groups/client-group.ts';
import { actingOf, actingService } from './acting.ts';
import {
  accessLists,
  clientGroupMessage,
  clientGroupSummaryMessage,
  clientMemberMessage,
  clientPolicyMessage,
  clientStatus,
  clientWorkspaceMessage,
  limitOf,
  usageOf,
} from './client-group-messages.ts';

export function clientGroupHandlers(app: IdentityApp, clock: Clock): ClientGroupServiceHandlers<CallContext> {
  const message = (group: WholeClientGroup) => clientGroupMessage(group, clock.now());
  return {
    async createClientGroup({ name, description }, context) {
      return message(await app.createClientGroup(acting(context), { name, description }));
    },

    async listClientGroups({ archived, search, ...request }, context) {
      const filter = { archived: archived ?? false, search };
      const page = await app.listClientGroups(context.organisationId(), filter, request);
      const at = clock.now();
      return {
        clientGroups: page.items.map((group) => clientGroupSummaryMessage(group, at)),
        nextCursor: page.nextCursor,
        totalCount: page.total,
      };
    },

    async getClientGroup({ groupId }, context) {
      return message(await app.getClientGroup(context.organisationId(), groupId));
    },

    async updateClientGroup({ groupId, name, description, updateMask }, context) {
      const wanted = fieldsGiven<ChangeClientGroup>(updateMask, { name: { name }, description: { description } });
      return message(await app.updateClientGroup(acting(context), groupId, wanted));
    },

    async archiveClientGroup({ groupId }, context) {
      return message(await app.archiveClientGroup(acting(context), groupId));
    },

    async restoreClientGroup({ groupId }, context) {
      return message(await app.restoreClientGroup(acting(context), groupId));
    },

    async makeDefaultClientGroup({ groupId }, context) {
      return message(await app.makeDefaultClientGroup(acting(context), groupId));
    },

    async listClientMembers({ groupId, ...request }, context) {
      const page = await app.listClientMembers(context.organisationId(), groupId, request);
      return { members: page.items.map(clientMemberMessage), nextCursor: page.nextCursor, totalCount: page.total };
    },

    async addClientMember({ groupId, name, email, status, folderAccess, fileAccess }, context) {
      const member = await app.addClientMember(acting(context), groupId, {
        name,
        email,
        status: clientStatus(status),
        folderAccess: accessLists(folderAccess),
        fileAccess: accessLists(fileAccess),
      });
      return clientMemberMessage(member);
    },

    async updateClientMember({ groupId, memberId, name, status, updateMask, ...lists }, context) {
      const wanted = fieldsGiven<ChangeClientMember>(updateMask, {
        name: { name },
        ...(status && { status: { status: clientStatus(status) } }),
        folder_access: { folderAccess: accessLists(lists.folderAccess) },
        file_access: { fileAccess: accessLists(lists.fileAccess) },
      });
      const member = await app.updateClientMember(acting(context), groupId, memberId, wanted);
      return clientMemberMessage(member);
    },

    async removeClientMember({ groupId, memberId }, context) {
      const { id } = await app.removeClientMember(acting(context), groupId, memberId);
      return { id, deleted: true };
    },

    async listClientWorkspaces({ groupId, ...request }, context) {
      const page = await app.listClientWorkspaces(context.organisationId(), groupId, request);
      return {
        workspaces: page.items.map(clientWorkspaceMessage),
        nextCursor: page.nextCursor,
        totalCount: page.total,
      };
    },

    async addClientWorkspace({ groupId, name, description, accessLevel }, context) {
      const wanted = { name, description, accessLevel };
      return clientWorkspaceMessage(await app.addClientWorkspace(acting(context), groupId, wanted));
    },

    async updateClientWorkspace({ groupId, workspaceId, name, description, accessLevel, updateMask }, context) {
      const wanted = fieldsGiven<ChangeClientWorkspace>(updateMask, {
        name: { name },
        description: { description },
        ...(accessLevel && { access_level: { accessLevel } }),
      });
      const changed = await app.updateClientWorkspace(acting(context), groupId, workspaceId, wanted);
      return clientWorkspaceMessage(changed);
    },

    async removeClientWorkspace({ groupId, workspaceId }, context) {
      const { id } = await app.removeClientWorkspace(acting(context), groupId, workspaceId);
      return { id, deleted: true };
    },

    async setClientPolicy({ groupId, periodDays, hardStop, ...limits }, context) {
      const policy = {
        periodDays,
        aiCreditLimit: limitOf(limits.aiCreditLimit),
        infrastructureCreditLimit: limitOf(limits.infrastructureCreditLimit),
        requestLimit: limitOf(limits.requestLimit),
        hardStop,
      };
      await app.setClientPolicy(acting(context), groupId, policy);
      return clientPolicyMessage(policy);
    },

    async removeClientPolicy({ groupId }, context) {
      const { id } = await app.removeClientPolicy(acting(context), groupId);
      return { id, deleted: true };
    },

    async setClientGroupAccess({ groupId, updateMask, ...lists }, context) {
      const wanted = fieldsGiven<ChangeClientGroupAccess>(updateMask, {
        asset_access: { assetAccess: accessLists(lists.assetAccess) },
        folder_access: { folderAccess: accessLists(lists.folderAccess) },
        file_access: { fileAccess: accessLists(lists.fileAccess) },
      });
      return message(await app.setClientGroupAccess(acting(context), groupId, wanted));
    },

    async getClientGroupUsage({ groupId }, context) {
      return { usage: await app.getClientGroupUsage(context.organisationId(), groupId) };
    },

    async resolveClientPolicy({ organisationId, groupId }) {
      const { id, policy, createdAt } = await app.resolveClientPolicy(organisationId, groupId);
      return { groupId: id, policy: policy && clientPolicyMessage(policy), groupCreatedAt: createdAt };
    },

    async recordClientGroupUsage({ organisationId, groupId, version, usage }, context) {
      const by = actingService(context, organisationId);
      await app.recordClientGroupUsage(by, groupId, usageOf(usage), BigInt(version));
      return {};
    },
  };
}

const acting = (context: CallContext) => actingOf(context, 'client_groups');
