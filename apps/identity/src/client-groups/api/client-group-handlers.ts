import type {
  AccessEntryInput,
  ClientGroupInput,
  ClientGroupServiceHandlers,
  ClientGroupSummaryInput,
  ClientMemberInput,
  MemberStatus,
} from '@platform-backend/contract-identity';
import { invalid, type Clock } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { reporterOf } from '../../members/api/callers.ts';
import { settableStatus } from '../../members/api/settable-status.ts';
import type { ClientGroupUseCases } from '../app/client-groups.ts';
import type {
  AccessEntry,
  ClientGroup,
  ClientGroupAccess,
  ClientMember,
  ClientWorkspace,
  Usage,
  WholeClientGroup,
} from '../domain/client-group.ts';
import { runningUsage } from '../domain/running-usage.ts';

/** No user's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

export function clientGroupHandlers(app: ClientGroupUseCases, clock: Clock): ClientGroupServiceHandlers<CallContext> {
  const message = (group: WholeClientGroup) => clientGroupMessage(group, clock.now());
  return {
    createClientGroup: async ({ name, description }, context) =>
      message(await app.createClientGroup(context.actorContext(), { name, description })),

    async listClientGroups({ archived, search, ...request }, context) {
      const filter = { archived: archived ?? false, search };
      const page = await app.listClientGroups(context.organisationId(), filter, request);
      const at = clock.now();
      return listAnswer('clientGroups', page, (group) => clientGroupSummaryMessage(group, at));
    },

    getClientGroup: async ({ groupId }, context) =>
      message(await app.getClientGroup(context.organisationId(), groupId)),

    async updateClientGroup({ groupId, name, description, updateMask }, context) {
      const wanted = fieldsGiven(updateMask, { name, description });
      return message(await app.updateClientGroup(context.actorContext(), groupId, wanted));
    },

    archiveClientGroup: async ({ groupId }, context) =>
      message(await app.archiveClientGroup(context.actorContext(), groupId)),

    restoreClientGroup: async ({ groupId }, context) =>
      message(await app.restoreClientGroup(context.actorContext(), groupId)),

    makeDefaultClientGroup: async ({ groupId }, context) =>
      message(await app.makeDefaultClientGroup(context.actorContext(), groupId)),

    listClientMembers: async ({ groupId, ...request }, context) =>
      listAnswer(
        'members',
        await app.listClientMembers(context.organisationId(), groupId, request),
        clientMemberMessage,
      ),

    async addClientMember({ groupId, name, email, status, ...lists }, context) {
      const wanted = { name, email, status: clientStatus(status), ...clientAccess(lists) };
      return clientMemberMessage(await app.addClientMember(context.actorContext(), groupId, wanted));
    },

    async updateClientMember({ groupId, memberId, name, status, updateMask, ...lists }, context) {
      const wanted = fieldsGiven(updateMask, {
        name,
        ...(status && { status: clientStatus(status) }),
        ...clientAccess(lists),
      });
      return clientMemberMessage(await app.updateClientMember(context.actorContext(), groupId, memberId, wanted));
    },

    async removeClientMember({ groupId, memberId }, context) {
      const { id } = await app.removeClientMember(context.actorContext(), groupId, memberId);
      return { id, deleted: true };
    },

    listClientWorkspaces: async ({ groupId, ...request }, context) =>
      listAnswer(
        'workspaces',
        await app.listClientWorkspaces(context.organisationId(), groupId, request),
        (workspace: ClientWorkspace) => workspace,
      ),

    addClientWorkspace: ({ groupId, name, description, accessLevel }, context) =>
      app.addClientWorkspace(context.actorContext(), groupId, { name, description, accessLevel }),

    updateClientWorkspace({ groupId, workspaceId, name, description, accessLevel, updateMask }, context) {
      const wanted = fieldsGiven(updateMask, { name, description, ...(accessLevel && { accessLevel }) });
      return app.updateClientWorkspace(context.actorContext(), groupId, workspaceId, wanted);
    },

    async removeClientWorkspace({ groupId, workspaceId }, context) {
      const { id } = await app.removeClientWorkspace(context.actorContext(), groupId, workspaceId);
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
      await app.setClientPolicy(context.actorContext(), groupId, policy);
      return policy;
    },

    async removeClientPolicy({ groupId }, context) {
      const { id } = await app.removeClientPolicy(context.actorContext(), groupId);
      return { id, deleted: true };
    },

    async setClientGroupAccess({ groupId, updateMask, ...lists }, context) {
      const wanted = fieldsGiven(updateMask, { assetAccess: entriesOf(lists.assetAccess), ...clientAccess(lists) });
      return message(await app.setClientGroupAccess(context.actorContext(), groupId, wanted));
    },

    getClientGroupUsage: async ({ groupId }, context) => ({
      usage: await app.getClientGroupUsage(context.organisationId(), groupId),
    }),

    async resolveClientPolicy({ organisationId, groupId }) {
      const group = await app.resolveClientPolicy(organisationId, groupId);
      return { ...group, groupId: group.id, groupCreatedAt: group.createdAt };
    },

    async resolveClientAccess({ userId, apiKeyId }, context) {
      const subject = apiKeyId === null ? { userId: userId ?? NOBODY } : { apiKeyId };
      const { groupIds, files, folders, assets } = await app.clientAccess(context.organisationId(), subject);
      return { groupIds: [...groupIds], files: [...files], folders: [...folders], assets: [...assets] };
    },

    resolveClientGroups: async ({ groupIds }, context) => ({
      groupIds: [...(await app.presentGroups(context.organisationId(), groupIds))],
    }),

    async recordClientGroupUsage({ organisationId, groupId, version, usage }, context) {
      const by = reporterOf(context, organisationId);
      await app.recordClientGroupUsage(by, groupId, usageOf(usage), BigInt(version));
      return {};
    },
  };
}

/** A group as it is at this moment. */
const clientGroupMessage = (group: WholeClientGroup, at: Date): ClientGroupInput => ({
  ...group,
  ...accessMessage(group),
  assetAccess: group.assetAccess.map(entryMessage),
  members: group.members.map(clientMemberMessage),
  usage: runningUsage(group, at),
});

/** A group as a list shows it at this moment. */
const clientGroupSummaryMessage = (group: ClientGroup, at: Date): ClientGroupSummaryInput => ({
  ...group,
  usage: runningUsage(group, at),
});

const clientMemberMessage = (member: ClientMember): ClientMemberInput => ({ ...member, ...accessMessage(member) });

type ClientAccess = Pick<ClientGroupAccess, 'folderAccess' | 'fileAccess'>;

const entryMessage = (entry: AccessEntry): AccessEntryInput => ({ entry });

const accessMessage = ({ folderAccess, fileAccess }: ClientAccess) => ({
  folderAccess: folderAccess.map(entryMessage),
  fileAccess: fileAccess.map(entryMessage),
});

const entriesOf = (entries: readonly { readonly entry: AccessEntry }[]) => entries.map(({ entry }) => entry);

/** Access lists of a request. */
const clientAccess = (lists: {
  readonly folderAccess: readonly { readonly entry: AccessEntry }[];
  readonly fileAccess: readonly { readonly entry: AccessEntry }[];
}): ClientAccess => ({ folderAccess: entriesOf(lists.folderAccess), fileAccess: entriesOf(lists.fileAccess) });

/** A 64-bit limit of a request; it travels as text, so that no digit is lost. */
const limitOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** A client is removed by removing it, not by a status. */
const clientStatus = (status: MemberStatus): ClientMember['status'] =>
  settableStatus(status, ['invited', 'active', 'suspended']);

/** Usage of a report: integers, texts and null alone, as everybody who reads a client group expects. */
function usageOf(usage: Readonly<Record<string, unknown>>): Usage {
  for (const [name, value] of Object.entries(usage)) {
    if (value === null || typeof value === 'string' || Number.isInteger(value)) continue;
    throw invalid([
      { type: 'int_type', loc: ['body', 'usage', name], msg: 'Input should be a valid integer', input: value },
    ]);
  }
  return usage as Usage;
}
