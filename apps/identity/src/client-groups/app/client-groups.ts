import { newId, type ActorContext, type Clock, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import {
  archiveClientGroup,
  changeClientGroup,
  changeClientGroupAccess,
  makeDefaultClientGroup,
  recordClientGroupUsage,
  removeClientPolicy,
  restoreClientGroup,
  setClientPolicy,
  type ChangeClientGroup,
} from '../domain/change-client-group.ts';
import { clientAccessOf, type AccessSubject, type ClientAccess } from '../domain/client-access.ts';
import {
  addClientMember,
  addPart,
  changePart,
  clientMemberPart,
  clientWorkspacePart,
  removePart,
  type ChangeClientMember,
  type ChangeClientWorkspace,
  type NewPart,
} from '../domain/client-group-parts.ts';
import type {
  ClientGroup,
  ClientGroupAccess,
  ClientMember,
  ClientPolicy,
  ClientWorkspace,
  Usage,
  WholeClientGroup,
} from '../domain/client-group.ts';
import type { ClientAccessGroups, ClientGroups } from '../domain/client-groups.ts';
import { createClientGroup } from '../domain/create-client-group.ts';
import { runningUsage } from '../domain/running-usage.ts';

export interface ClientGroupPorts {
  readonly clientGroups: ClientGroups;
  readonly accessGroups: ClientAccessGroups;
  readonly clock: Clock;
}

export type ClientGroupUseCases = ReturnType<typeof clientGroupUseCases>;

export function clientGroupUseCases({ clientGroups, accessGroups, clock }: ClientGroupPorts) {
  const { members, workspaces } = clientGroups;
  const stamped = <Part>(wanted: NewPart<Part>) => ({ ...wanted, id: newId(), createdAt: clock.now() });

  /** Answers the changed group with all that belongs to it. */
  const change = async (
    by: ActorContext,
    groupId: string,
    decide: (group: ClientGroup, at: Date) => Decision<ClientGroup, IdentityEvent>,
  ): Promise<WholeClientGroup> => {
    await clientGroups.update(by, groupId, (group) => decide(group, clock.now()));
    return clientGroups.getWhole(by.organisationId, groupId);
  };

  return {
    createClientGroup: (by: ActorContext, wanted: Pick<ClientGroup, 'name' | 'description'>) =>
      clientGroups.add(by, createClientGroup({ ...wanted, id: newId() }, clock.now())),

    listClientGroups: clientGroups.list,
    getClientGroup: clientGroups.getWhole,

    updateClientGroup: (by: ActorContext, groupId: string, wanted: ChangeClientGroup) =>
      change(by, groupId, (group, at) => changeClientGroup(group, wanted, at)),

    archiveClientGroup: (by: ActorContext, groupId: string) => change(by, groupId, archiveClientGroup),
    restoreClientGroup: (by: ActorContext, groupId: string) => change(by, groupId, restoreClientGroup),

    async makeDefaultClientGroup(by: ActorContext, groupId: string): Promise<WholeClientGroup> {
      await clientGroups.updateDefault(by, groupId, (groups) => makeDefaultClientGroup(groups, clock.now()));
      return clientGroups.getWhole(by.organisationId, groupId);
    },

    /** Replaces the access lists given; absent lists stay. */
    async setClientGroupAccess(by: ActorContext, groupId: string, lists: Partial<ClientGroupAccess>) {
      await clientGroups.updateAccess(by, groupId, (access) =>
        changeClientGroupAccess(groupId, access, lists, clock.now()),
      );
      return clientGroups.getWhole(by.organisationId, groupId);
    },

    setClientPolicy: (by: ActorContext, groupId: string, policy: ClientPolicy) =>
      clientGroups.update(by, groupId, (group) => setClientPolicy(group, policy, clock.now())),

    removeClientPolicy: (by: ActorContext, groupId: string) =>
      clientGroups.update(by, groupId, (group) => removeClientPolicy(group, clock.now())),

    /** The group that usage counts for, with its policy: the one named, or else the default group. */
    resolveClientPolicy: (organisationId: string, groupId: string | null) =>
      groupId === null ? clientGroups.getDefault(organisationId) : clientGroups.get(organisationId, groupId),

    /** What somebody may open by the groups that they are in. */
    clientAccess: async (organisationId: string, subject: AccessSubject): Promise<ClientAccess> =>
      clientAccessOf(await accessGroups.groupsOf(organisationId, subject)),

    presentGroups: accessGroups.present,

    /** What a client group has used in the period that is running. */
    getClientGroupUsage: async (organisationId: string, groupId: string): Promise<Usage> =>
      runningUsage(await clientGroups.get(organisationId, groupId), clock.now()),

    /** Stores what billing has counted for a client group; reports may come twice and out of order. */
    recordClientGroupUsage: (by: ActorContext, groupId: string, usage: Usage, version: bigint) =>
      clientGroups.update(by, groupId, (group) => recordClientGroupUsage(group, usage, version)),

    listClientMembers: members.list,

    addClientMember: (by: ActorContext, groupId: string, wanted: NewPart<ClientMember>) =>
      members.add(by, groupId, addClientMember(groupId, stamped(wanted))),

    updateClientMember: (by: ActorContext, groupId: string, memberId: string, wanted: ChangeClientMember) =>
      members.update(by, groupId, memberId, (member) =>
        changePart(clientMemberPart, groupId, member, wanted, clock.now()),
      ),

    removeClientMember: (by: ActorContext, groupId: string, memberId: string) =>
      members.update(by, groupId, memberId, (member) => removePart(clientMemberPart, groupId, member, clock.now())),

    listClientWorkspaces: workspaces.list,

    addClientWorkspace: (by: ActorContext, groupId: string, wanted: NewPart<ClientWorkspace>) =>
      workspaces.add(by, groupId, addPart(clientWorkspacePart, groupId, stamped(wanted))),

    updateClientWorkspace: (by: ActorContext, groupId: string, workspaceId: string, wanted: ChangeClientWorkspace) =>
      workspaces.update(by, groupId, workspaceId, (workspace) =>
        changePart(clientWorkspacePart, groupId, workspace, wanted, clock.now()),
      ),

    removeClientWorkspace: (by: ActorContext, groupId: string, workspaceId: string) =>
      workspaces.update(by, groupId, workspaceId, (workspace) =>
        removePart(clientWorkspacePart, groupId, workspace, clock.now()),
      ),
  };
}
