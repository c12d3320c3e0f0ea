import { createApiKey } from './api-keys/create-api-key.ts';
import { getApiKey } from './api-keys/get-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { updateApiKey } from './api-keys/update-api-key.ts';
import { listAuditEntries } from './audit/list-audit-entries.ts';
import { resolveApiKey } from './authentication/resolve-api-key.ts';
import { resolveUser } from './authentication/resolve-user.ts';
import { addClientMember } from './client-groups/add-client-member.ts';
import { addClientWorkspace } from './client-groups/add-client-workspace.ts';
import { archiveClientGroup } from './client-groups/archive-client-group.ts';
import { createClientGroup } from './client-groups/create-client-group.ts';
import { getClientGroup } from './client-groups/get-client-group.ts';
import { getClientGroupUsage } from './client-groups/get-client-group-usage.ts';
import { listClientGroups } from './client-groups/list-client-groups.ts';
import { listClientMembers } from './client-groups/list-client-members.ts';
import { listClientWorkspaces } from './client-groups/list-client-workspaces.ts';
import { makeDefaultClientGroup } from './client-groups/make-default-client-group.ts';
import { recordClientGroupUsage } from './client-groups/record-client-group-usage.ts';
import { removeClientMember } from './client-groups/remove-client-member.ts';
import { removeClientPolicy } from './client-groups/remove-client-policy.ts';
import { removeClientWorkspace } from './client-groups/remove-client-workspace.ts';
import { resolveClientPolicy } from './client-groups/resolve-client-policy.ts';
import { restoreClientGroup } from './client-groups/restore-client-group.ts';
import { setClientGroupAccess } from './client-groups/set-client-group-access.ts';
import { setClientPolicy } from './client-groups/set-client-policy.ts';
import { updateClientGroup } from './client-groups/update-client-group.ts';
import { updateClientMember } from './client-groups/update-client-member.ts';
import { updateClientWorkspace } from './client-groups/update-client-workspace.ts';
import { acceptInvitation } from './members/accept-invitation.ts';
import { declineInvitation } from './members/decline-invitation.ts';
import { getMember } from './members/get-member.ts';
import { inviteMember } from './members/invite-member.ts';
import { leaveOrganisation } from './members/leave-organisation.ts';
import { listInvitations } from './members/list-invitations.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { updateMember } from './members/update-member.ts';
import { applySubscription } from './organisations/apply-subscription.ts';
import { createOrganisation } from './organisations/create-organisation.ts';
import { deleteOrganisation } from './organisations/delete-organisation.ts';
import { getOrganisation } from './organisations/get-organisation.ts';
import { listOrganisations } from './organisations/list-organisations.ts';
import { resolveOrganisation } from './organisations/resolve-organisation.ts';
import { transferOwnership } from './organisations/transfer-ownership.ts';
import { updateOrganisation } from './organisations/update-organisation.ts';
import type { IdentityParts } from './identity-parts.ts';

/** Everything the service can do, one use case per file. */
export const identityApp = (parts: IdentityParts) => ({
  applySubscription: applySubscription(parts),
  createOrganisation: createOrganisation(parts),
  deleteOrganisation: deleteOrganisation(parts),
  getOrganisation: getOrganisation(parts),
  listOrganisations: listOrganisations(parts),
  resolveOrganisation: resolveOrganisation(parts),
  transferOwnership: transferOwnership(parts),
  updateOrganisation: updateOrganisation(parts),
  acceptInvitation: acceptInvitation(parts),
  declineInvitation: declineInvitation(parts),
  getMember: getMember(parts),
  inviteMember: inviteMember(parts),
  leaveOrganisation: leaveOrganisation(parts),
  listInvitations: listInvitations(parts),
  listMembers: listMembers(parts),
  removeMember: removeMember(parts),
  updateMember: updateMember(parts),
  addClientMember: addClientMember(parts),
  addClientWorkspace: addClientWorkspace(parts),
  archiveClientGroup: archiveClientGroup(parts),
  createClientGroup: createClientGroup(parts),
  getClientGroup: getClientGroup(parts),
  getClientGroupUsage: getClientGroupUsage(parts),
  listClientGroups: listClientGroups(parts),
  listClientMembers: listClientMembers(parts),
  listClientWorkspaces: listClientWorkspaces(parts),
  makeDefaultClientGroup: makeDefaultClientGroup(parts),
  recordClientGroupUsage: recordClientGroupUsage(parts),
  removeClientMember: removeClientMember(parts),
  removeClientPolicy: removeClientPolicy(parts),
  removeClientWorkspace: removeClientWorkspace(parts),
  resolveClientPolicy: resolveClientPolicy(parts),
  restoreClientGroup: restoreClientGroup(parts),
  setClientGroupAccess: setClientGroupAccess(parts),
  setClientPolicy: setClientPolicy(parts),
  updateClientGroup: updateClientGroup(parts),
  updateClientMember: updateClientMember(parts),
  updateClientWorkspace: updateClientWorkspace(parts),
  createApiKey: createApiKey(parts),
  getApiKey: getApiKey(parts),
  listApiKeys: listApiKeys(parts),
  revokeApiKey: revokeApiKey(parts),
  rotateApiKey: rotateApiKey(parts),
  updateApiKey: updateApiKey(parts),
  listAuditEntries: listAuditEntries(parts),
  resolveApiKey: resolveApiKey(parts),
  resolveUser: resolveUser(parts),
});

export type IdentityApp = ReturnType<typeof identityApp>;
