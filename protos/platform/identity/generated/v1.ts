// Generated from protos/platform/identity/v1 by `npm run generate`. Do not edit.
import type { ClientCall, FieldMask, Handler, Int64Input, JsonObject, JsonObjectInput, JsonValue, JsonValueInput } from '@platform-backend/contract/messages';
import type { PermissionLevel } from '@platform-backend/contract/options';

/** What handles each of its services. */
export interface IdentityHandlers<Context> {
  ApiKeyService: ApiKeyServiceHandlers<Context>;
  OrganisationService: OrganisationServiceHandlers<Context>;
  AuditService: AuditServiceHandlers<Context>;
  AuthenticationService: AuthenticationServiceHandlers<Context>;
  ClientGroupService: ClientGroupServiceHandlers<Context>;
  MemberService: MemberServiceHandlers<Context>;
}

/**
 * ApiKeyService owns the keys other companies' programs call with. Only a key's
 * SHA-256 is stored. Below level ADMIN a caller sees and revokes own keys alone. A key is
 * widened, prolonged, renamed and rotated by its creator alone, whatever the level of others.
 */
export interface ApiKeyServiceHandlers<Context> {
  /**
   * Makes a key that acts for the caller in the caller's organisation. The key itself is answered here and never
   * again.
   */
  createApiKey: Handler<CreateApiKeyRequest, CreatedApiKeyInput, Context>;
  /** The caller's own keys; with level ADMIN every key of the organisation. Newest first. */
  listApiKeys: Handler<ListApiKeysRequest, ListApiKeysResponseInput, Context>;
  /** One key, without its secret. Below level ADMIN only one's own. */
  getApiKey: Handler<GetApiKeyRequest, ApiKeyInput, Context>;
  /**
   * Renames a key, changes when it expires or narrows or widens its scopes. Who has not made it may narrow its scopes,
   * end it earlier and say which client group it counts for: ADMIN.
   */
  updateApiKey: Handler<UpdateApiKeyRequest, ApiKeyInput, Context>;
  /**
   * Gives a key of one's own a new secret. The old one keeps working for `overlap_seconds`; one rotated out before
   * keeps its own, earlier end. At most ten that were rotated out work at a time.
   */
  rotateApiKey: Handler<RotateApiKeyRequest, CreatedApiKeyInput, Context>;
  /** Ends a key at once. */
  revokeApiKey: Handler<RevokeApiKeyRequest, DeletedInput, Context>;
}

/**
 * ApiKeyService owns the keys other companies' programs call with. Only a key's
 * SHA-256 is stored. Below level ADMIN a caller sees and revokes own keys alone. A key is
 * widened, prolonged, renamed and rotated by its creator alone, whatever the level of others.
 */
export interface ApiKeyServiceClient<Options = unknown> {
  /**
   * Makes a key that acts for the caller in the caller's organisation. The key itself is answered here and never
   * again.
   */
  createApiKey: ClientCall<CreateApiKeyRequestInput, CreatedApiKey, Options>;
  /** The caller's own keys; with level ADMIN every key of the organisation. Newest first. */
  listApiKeys: ClientCall<ListApiKeysRequestInput, ListApiKeysResponse, Options>;
  /** One key, without its secret. Below level ADMIN only one's own. */
  getApiKey: ClientCall<GetApiKeyRequestInput, ApiKey, Options>;
  /**
   * Renames a key, changes when it expires or narrows or widens its scopes. Who has not made it may narrow its scopes,
   * end it earlier and say which client group it counts for: ADMIN.
   */
  updateApiKey: ClientCall<UpdateApiKeyRequestInput, ApiKey, Options>;
  /**
   * Gives a key of one's own a new secret. The old one keeps working for `overlap_seconds`; one rotated out before
   * keeps its own, earlier end. At most ten that were rotated out work at a time.
   */
  rotateApiKey: ClientCall<RotateApiKeyRequestInput, CreatedApiKey, Options>;
  /** Ends a key at once. */
  revokeApiKey: ClientCall<RevokeApiKeyRequestInput, Deleted, Options>;
}

/** OrganisationService owns organisations and their subscription projection. */
export interface OrganisationServiceHandlers<Context> {
  /** Makes an organisation with the caller as its OWNER and a default client group. */
  createOrganisation: Handler<CreateOrganisationRequest, OrganisationInput, Context>;
  /** The organisations the caller is a member of, newest first, without their members. */
  listOrganisations: Handler<ListOrganisationsRequest, ListOrganisationsResponseInput, Context>;
  /** Whoever sends the request: as whom, in which organisation and with which rights it acts, and where else it could. */
  getCurrentUser: Handler<GetCurrentUserRequest, CurrentUserInput, Context>;
  /** The caller's organisation with its members and subscription. */
  getCurrentOrganisation: Handler<GetCurrentOrganisationRequest, OrganisationInput, Context>;
  /** Changes the fields given; absent fields stay. */
  updateCurrentOrganisation: Handler<UpdateCurrentOrganisationRequest, OrganisationInput, Context>;
  /** Deletes the organisation for all its members. Its keys stop working at once. */
  deleteCurrentOrganisation: Handler<DeleteCurrentOrganisationRequest, DeletedInput, Context>;
  /** Makes another active member OWNER and the caller ADMIN. */
  transferOwnership: Handler<TransferOwnershipRequest, OrganisationInput, Context>;
  /** Ends the caller's own membership. */
  leaveOrganisation: Handler<LeaveOrganisationRequest, DeletedInput, Context>;
  /**
   * Sets the subscription fields of an organisation, as billing knows them.
   * A version that is not newer than the stored one changes nothing and is no error.
   * CONFLICT: more members are active than `most_active_members`; then nothing has changed.
   */
  applySubscription: Handler<ApplySubscriptionRequest, ResolvedOrganisationInput, Context>;
  /** What an organisation is called. NOT_FOUND: there is none, or it was deleted. */
  resolveOrganisation: Handler<ResolveOrganisationRequest, ResolvedOrganisationInput, Context>;
}

/** OrganisationService owns organisations and their subscription projection. */
export interface OrganisationServiceClient<Options = unknown> {
  /** Makes an organisation with the caller as its OWNER and a default client group. */
  createOrganisation: ClientCall<CreateOrganisationRequestInput, Organisation, Options>;
  /** The organisations the caller is a member of, newest first, without their members. */
  listOrganisations: ClientCall<ListOrganisationsRequestInput, ListOrganisationsResponse, Options>;
  /** Whoever sends the request: as whom, in which organisation and with which rights it acts, and where else it could. */
  getCurrentUser: ClientCall<GetCurrentUserRequestInput, CurrentUser, Options>;
  /** The caller's organisation with its members and subscription. */
  getCurrentOrganisation: ClientCall<GetCurrentOrganisationRequestInput, Organisation, Options>;
  /** Changes the fields given; absent fields stay. */
  updateCurrentOrganisation: ClientCall<UpdateCurrentOrganisationRequestInput, Organisation, Options>;
  /** Deletes the organisation for all its members. Its keys stop working at once. */
  deleteCurrentOrganisation: ClientCall<DeleteCurrentOrganisationRequestInput, Deleted, Options>;
  /** Makes another active member OWNER and the caller ADMIN. */
  transferOwnership: ClientCall<TransferOwnershipRequestInput, Organisation, Options>;
  /** Ends the caller's own membership. */
  leaveOrganisation: ClientCall<LeaveOrganisationRequestInput, Deleted, Options>;
  /**
   * Sets the subscription fields of an organisation, as billing knows them.
   * A version that is not newer than the stored one changes nothing and is no error.
   * CONFLICT: more members are active than `most_active_members`; then nothing has changed.
   */
  applySubscription: ClientCall<ApplySubscriptionRequestInput, ResolvedOrganisation, Options>;
  /** What an organisation is called. NOT_FOUND: there is none, or it was deleted. */
  resolveOrganisation: ClientCall<ResolveOrganisationRequestInput, ResolvedOrganisation, Options>;
}

/**
 * AuditService keeps who changed what and when. Entries are never changed or deleted.
 * They name everybody's keys, scopes and addresses, so level ADMIN reads them.
 */
export interface AuditServiceHandlers<Context> {
  /** Newest first. */
  listAuditEntries: Handler<ListAuditEntriesRequest, ListAuditEntriesResponseInput, Context>;
}

/**
 * AuditService keeps who changed what and when. Entries are never changed or deleted.
 * They name everybody's keys, scopes and addresses, so level ADMIN reads them.
 */
export interface AuditServiceClient<Options = unknown> {
  /** Newest first. */
  listAuditEntries: ClientCall<ListAuditEntriesRequestInput, ListAuditEntriesResponse, Options>;
}

/**
 * AuthenticationService tells the gateway who a verified credential is.
 * Neither call is bound to HTTP.
 */
export interface AuthenticationServiceHandlers<Context> {
  /**
   * The user of a verified token, made on first sight, with the membership the
   * request acts under. NOT_FOUND never: a user without an organisation is answered
   * without one. FORBIDDEN: not an active member of the organisation asked for; or nobody known, and the token names no
   * e-mail address. UNAUTHENTICATED: its session was ended.
   */
  resolveUser: Handler<ResolveUserRequest, ResolvedCallerInput, Context>;
  /**
   * Ends a session at the issuer, or all that a subject has had until then: from now on ResolveUser refuses their tokens. CONFLICT:
   * the token that says so was used before.
   */
  endSessions: Handler<EndSessionsRequest, EndSessionsResponseInput, Context>;
  /**
   * The key with this hash. UNAUTHENTICATED: unknown, expired or revoked, or its
   * creator is no longer an active member.
   */
  resolveApiKey: Handler<ResolveApiKeyRequest, ResolvedCallerInput, Context>;
}

/**
 * AuthenticationService tells the gateway who a verified credential is.
 * Neither call is bound to HTTP.
 */
export interface AuthenticationServiceClient<Options = unknown> {
  /**
   * The user of a verified token, made on first sight, with the membership the
   * request acts under. NOT_FOUND never: a user without an organisation is answered
   * without one. FORBIDDEN: not an active member of the organisation asked for; or nobody known, and the token names no
   * e-mail address. UNAUTHENTICATED: its session was ended.
   */
  resolveUser: ClientCall<ResolveUserRequestInput, ResolvedCaller, Options>;
  /**
   * Ends a session at the issuer, or all that a subject has had until then: from now on ResolveUser refuses their tokens. CONFLICT:
   * the token that says so was used before.
   */
  endSessions: ClientCall<EndSessionsRequestInput, EndSessionsResponse, Options>;
  /**
   * The key with this hash. UNAUTHENTICATED: unknown, expired or revoked, or its
   * creator is no longer an active member.
   */
  resolveApiKey: ClientCall<ResolveApiKeyRequestInput, ResolvedCaller, Options>;
}

/**
 * ClientGroupService owns the groups of an organisation's clients, with their
 * members, workspaces, usage policy and access lists.
 */
export interface ClientGroupServiceHandlers<Context> {
  /**
   * Makes a client group. With an `Api-key` header the key is the caller; with both credentials they must belong to
   * the same organisation.
   */
  createClientGroup: Handler<CreateClientGroupRequest, ClientGroupInput, Context>;
  /** Newest first, without their members, workspaces and access lists; archived groups only when asked for. */
  listClientGroups: Handler<ListClientGroupsRequest, ListClientGroupsResponseInput, Context>;
  /** One group with its members, workspaces, policy, usage and access lists. */
  getClientGroup: Handler<GetClientGroupRequest, ClientGroupInput, Context>;
  /** Changes the fields given; absent fields stay. */
  updateClientGroup: Handler<UpdateClientGroupRequest, ClientGroupInput, Context>;
  /** Hides the group and ends the access of its members. Repeating it is safe. */
  archiveClientGroup: Handler<ArchiveClientGroupRequest, ClientGroupInput, Context>;
  /** Takes a group out of the archive. Repeating it is safe. */
  restoreClientGroup: Handler<RestoreClientGroupRequest, ClientGroupInput, Context>;
  /** Makes the group the one that new clients belong to. */
  makeDefaultClientGroup: Handler<MakeDefaultClientGroupRequest, ClientGroupInput, Context>;
  /** The people of a group, oldest first. */
  listClientMembers: Handler<ListClientMembersRequest, ListClientMembersResponseInput, Context>;
  /** Adds a person of the client to the group. */
  addClientMember: Handler<AddClientMemberRequest, ClientMemberInput, Context>;
  /** Changes the fields given; absent fields stay. An access list takes the place of the one before. */
  updateClientMember: Handler<UpdateClientMemberRequest, ClientMemberInput, Context>;
  /** Takes a person out of a group. */
  removeClientMember: Handler<RemoveClientMemberRequest, DeletedInput, Context>;
  /** The workspaces of a group, oldest first. */
  listClientWorkspaces: Handler<ListClientWorkspacesRequest, ListClientWorkspacesResponseInput, Context>;
  /** Adds a workspace to a group. */
  addClientWorkspace: Handler<AddClientWorkspaceRequest, ClientWorkspaceInput, Context>;
  /** Changes the fields given; absent fields stay. */
  updateClientWorkspace: Handler<UpdateClientWorkspaceRequest, ClientWorkspaceInput, Context>;
  /** Takes a workspace out of a group. */
  removeClientWorkspace: Handler<RemoveClientWorkspaceRequest, DeletedInput, Context>;
  /** Sets the whole usage policy. */
  setClientPolicy: Handler<SetClientPolicyRequest, ClientPolicyInput, Context>;
  /** Takes the usage policy away. */
  removeClientPolicy: Handler<RemoveClientPolicyRequest, DeletedInput, Context>;
  /** Replaces the access lists given; absent lists stay. */
  setClientGroupAccess: Handler<SetClientGroupAccessRequest, ClientGroupInput, Context>;
  /** What the group has used in the running policy period, as billing last reported it. */
  getClientGroupUsage: Handler<GetClientGroupUsageRequest, ClientGroupUsageInput, Context>;
  /** The policy that usage of a group is held against. NOT_FOUND: unknown group, or the organisation is gone. */
  resolveClientPolicy: Handler<ResolveClientPolicyRequest, ResolvedClientPolicyInput, Context>;
  /**
   * Which groups a member or an API key is in, and what these open by their access lists: of a member those that have the
   * verified address as a client who is not suspended, of a key the one that it names, and where there is none of these
   * the default group. Of a key whose group is in the archive, of a client who is suspended or whose groups all are there, and of
   * somebody unknown: nothing.
   */
  resolveClientAccess: Handler<ResolveClientAccessRequest, ResolvedClientAccessInput, Context>;
  /** Those of these groups that are there and not archived, in no order. */
  resolveClientGroups: Handler<ResolveClientGroupsRequest, ResolvedClientGroupsInput, Context>;
  /**
   * Stores what billing has counted for a group. An older version changes nothing
   * and is no error. NOT_FOUND: unknown group.
   */
  recordClientGroupUsage: Handler<RecordClientGroupUsageRequest, RecordClientGroupUsageResponseInput, Context>;
}

/**
 * ClientGroupService owns the groups of an organisation's clients, with their
 * members, workspaces, usage policy and access lists.
 */
export interface ClientGroupServiceClient<Options = unknown> {
  /**
   * Makes a client group. With an `Api-key` header the key is the caller; with both credentials they must belong to
   * the same organisation.
   */
  createClientGroup: ClientCall<CreateClientGroupRequestInput, ClientGroup, Options>;
  /** Newest first, without their members, workspaces and access lists; archived groups only when asked for. */
  listClientGroups: ClientCall<ListClientGroupsRequestInput, ListClientGroupsResponse, Options>;
  /** One group with its members, workspaces, policy, usage and access lists. */
  getClientGroup: ClientCall<GetClientGroupRequestInput, ClientGroup, Options>;
  /** Changes the fields given; absent fields stay. */
  updateClientGroup: ClientCall<UpdateClientGroupRequestInput, ClientGroup, Options>;
  /** Hides the group and ends the access of its members. Repeating it is safe. */
  archiveClientGroup: ClientCall<ArchiveClientGroupRequestInput, ClientGroup, Options>;
  /** Takes a group out of the archive. Repeating it is safe. */
  restoreClientGroup: ClientCall<RestoreClientGroupRequestInput, ClientGroup, Options>;
  /** Makes the group the one that new clients belong to. */
  makeDefaultClientGroup: ClientCall<MakeDefaultClientGroupRequestInput, ClientGroup, Options>;
  /** The people of a group, oldest first. */
  listClientMembers: ClientCall<ListClientMembersRequestInput, ListClientMembersResponse, Options>;
  /** Adds a person of the client to the group. */
  addClientMember: ClientCall<AddClientMemberRequestInput, ClientMember, Options>;
  /** Changes the fields given; absent fields stay. An access list takes the place of the one before. */
  updateClientMember: ClientCall<UpdateClientMemberRequestInput, ClientMember, Options>;
  /** Takes a person out of a group. */
  removeClientMember: ClientCall<RemoveClientMemberRequestInput, Deleted, Options>;
  /** The workspaces of a group, oldest first. */
  listClientWorkspaces: ClientCall<ListClientWorkspacesRequestInput, ListClientWorkspacesResponse, Options>;
  /** Adds a workspace to a group. */
  addClientWorkspace: ClientCall<AddClientWorkspaceRequestInput, ClientWorkspace, Options>;
  /** Changes the fields given; absent fields stay. */
  updateClientWorkspace: ClientCall<UpdateClientWorkspaceRequestInput, ClientWorkspace, Options>;
  /** Takes a workspace out of a group. */
  removeClientWorkspace: ClientCall<RemoveClientWorkspaceRequestInput, Deleted, Options>;
  /** Sets the whole usage policy. */
  setClientPolicy: ClientCall<SetClientPolicyRequestInput, ClientPolicy, Options>;
  /** Takes the usage policy away. */
  removeClientPolicy: ClientCall<RemoveClientPolicyRequestInput, Deleted, Options>;
  /** Replaces the access lists given; absent lists stay. */
  setClientGroupAccess: ClientCall<SetClientGroupAccessRequestInput, ClientGroup, Options>;
  /** What the group has used in the running policy period, as billing last reported it. */
  getClientGroupUsage: ClientCall<GetClientGroupUsageRequestInput, ClientGroupUsage, Options>;
  /** The policy that usage of a group is held against. NOT_FOUND: unknown group, or the organisation is gone. */
  resolveClientPolicy: ClientCall<ResolveClientPolicyRequestInput, ResolvedClientPolicy, Options>;
  /**
   * Which groups a member or an API key is in, and what these open by their access lists: of a member those that have the
   * verified address as a client who is not suspended, of a key the one that it names, and where there is none of these
   * the default group. Of a key whose group is in the archive, of a client who is suspended or whose groups all are there, and of
   * somebody unknown: nothing.
   */
  resolveClientAccess: ClientCall<ResolveClientAccessRequestInput, ResolvedClientAccess, Options>;
  /** Those of these groups that are there and not archived, in no order. */
  resolveClientGroups: ClientCall<ResolveClientGroupsRequestInput, ResolvedClientGroups, Options>;
  /**
   * Stores what billing has counted for a group. An older version changes nothing
   * and is no error. NOT_FOUND: unknown group.
   */
  recordClientGroupUsage: ClientCall<RecordClientGroupUsageRequestInput, RecordClientGroupUsageResponse, Options>;
}

/**
 * MemberService owns who belongs to an organisation and at which level.
 * An organisation always keeps at least one OWNER.
 */
export interface MemberServiceHandlers<Context> {
  /** Members and open invitations, oldest first. */
  listMembers: Handler<ListMembersRequest, ListMembersResponseInput, Context>;
  /** One member or open invitation. */
  getMember: Handler<GetMemberRequest, MemberInput, Context>;
  /**
   * Invites a person by e-mail. The invitation is a member with status `invited`; the person accepts it with a token
   * that carries the same verified e-mail. Nobody invites above their own level, and an API key no further than
   * EDITOR.
   */
  inviteMember: Handler<InviteMemberRequest, MemberInput, Context>;
  /**
   * Changes a member's level or suspends and reactivates it. Only an OWNER may make or change an OWNER, and only a
   * person make or reactivate an ADMIN: an API key promotes no further than EDITOR.
   */
  updateMember: Handler<UpdateMemberRequest, MemberInput, Context>;
  /** Removes a member or takes an invitation back. Access ends at once. */
  removeMember: Handler<RemoveMemberRequest, DeletedInput, Context>;
  /** The open invitations for the caller's own e-mail, of every organisation. */
  listInvitations: Handler<ListInvitationsRequest, ListInvitationsResponseInput, Context>;
  /** Makes the caller a member, of the level that the invitation offers. */
  acceptInvitation: Handler<AcceptInvitationRequest, MemberInput, Context>;
  /** Ends the invitation for good; somebody may invite again. */
  declineInvitation: Handler<DeclineInvitationRequest, DeletedInput, Context>;
  /** The active members among these users, in no order; whoever is none is missing. */
  resolveMembers: Handler<ResolveMembersRequest, ResolvedMembersInput, Context>;
}

/**
 * MemberService owns who belongs to an organisation and at which level.
 * An organisation always keeps at least one OWNER.
 */
export interface MemberServiceClient<Options = unknown> {
  /** Members and open invitations, oldest first. */
  listMembers: ClientCall<ListMembersRequestInput, ListMembersResponse, Options>;
  /** One member or open invitation. */
  getMember: ClientCall<GetMemberRequestInput, Member, Options>;
  /**
   * Invites a person by e-mail. The invitation is a member with status `invited`; the person accepts it with a token
   * that carries the same verified e-mail. Nobody invites above their own level, and an API key no further than
   * EDITOR.
   */
  inviteMember: ClientCall<InviteMemberRequestInput, Member, Options>;
  /**
   * Changes a member's level or suspends and reactivates it. Only an OWNER may make or change an OWNER, and only a
   * person make or reactivate an ADMIN: an API key promotes no further than EDITOR.
   */
  updateMember: ClientCall<UpdateMemberRequestInput, Member, Options>;
  /** Removes a member or takes an invitation back. Access ends at once. */
  removeMember: ClientCall<RemoveMemberRequestInput, Deleted, Options>;
  /** The open invitations for the caller's own e-mail, of every organisation. */
  listInvitations: ClientCall<ListInvitationsRequestInput, ListInvitationsResponse, Options>;
  /** Makes the caller a member, of the level that the invitation offers. */
  acceptInvitation: ClientCall<AcceptInvitationRequestInput, Member, Options>;
  /** Ends the invitation for good; somebody may invite again. */
  declineInvitation: ClientCall<DeclineInvitationRequestInput, Deleted, Options>;
  /** The active members among these users, in no order; whoever is none is missing. */
  resolveMembers: ClientCall<ResolveMembersRequestInput, ResolvedMembers, Options>;
}

export interface ApiKey {
  /** By which people know the key. */
  name: string;
  id: string;
  /** The first characters of the key, to recognise it by. */
  keyPrefix: string;
  createdAt: Date | null;
  /** `<area>:<read|write|admin>`; `*` stands for every area. */
  scopes: string[];
  /** Null: never. */
  expiresAt: Date | null;
  /** To the minute; null: never used. */
  lastUsedAt: Date | null;
  /** The user the key acts for. */
  createdBy: string;
  /** Whose policy and usage its requests count against; null: the default group's. */
  clientGroupId: string | null;
}

/** `ApiKey`, to be written. */
export interface ApiKeyInput {
  name: string;
  id: string;
  keyPrefix: string;
  createdAt?: Date | null | undefined;
  scopes: readonly string[];
  expiresAt?: Date | null | undefined;
  lastUsedAt?: Date | null | undefined;
  createdBy: string;
  clientGroupId?: string | null | undefined;
}

/** A key together with its secret, as answered once. */
export interface CreatedApiKey {
  /** By which people know the key. */
  name: string;
  id: string;
  /** The first characters of the key, to recognise it by. */
  keyPrefix: string;
  createdAt: Date | null;
  /** The secret, which is shown here and never again. */
  apiKey: string;
  /** `<area>:<read|write|admin>`; `*` stands for every area. */
  scopes: string[];
  /** Null: never. */
  expiresAt: Date | null;
  /** Whose policy and usage its requests count against; null: the default group. */
  clientGroupId: string | null;
}

/** `CreatedApiKey`, to be written. */
export interface CreatedApiKeyInput {
  name: string;
  id: string;
  keyPrefix: string;
  createdAt?: Date | null | undefined;
  apiKey: string;
  scopes: readonly string[];
  expiresAt?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
}

export interface CreateApiKeyRequest {
  /** By which people know the key; several may have the same. */
  name: string;
  /**
   * Absent: what its creator may do up to level EDITOR, and client groups; neither people, keys, money nor the audit log, but for what every
   * member reads. An empty list opens nothing.
   */
  scopes: string[];
  /** From then on it is refused; in the future. Null or absent: it never expires. */
  expiresAt: Date | null;
  /** Naming a client group takes level ADMIN, for it decides which limits hold. Absent: the default group. */
  clientGroupId: string | null;
}

/** `CreateApiKeyRequest`, to be written. */
export interface CreateApiKeyRequestInput {
  name: string;
  scopes?: readonly string[] | null | undefined;
  expiresAt?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
}

export interface ListApiKeysRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListApiKeysRequest`, to be written. */
export interface ListApiKeysRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListApiKeysResponse {
  /** Newest first. Below level ADMIN only one's own. */
  apiKeys: ApiKey[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListApiKeysResponse`, to be written. */
export interface ListApiKeysResponseInput {
  apiKeys: readonly ApiKeyInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetApiKeyRequest {
  keyId: string;
}

/** `GetApiKeyRequest`, to be written. */
export interface GetApiKeyRequestInput {
  keyId: string;
}

export interface UpdateApiKeyRequest {
  keyId: string;
  name: string;
  /** All that it may do from now on, in place of what it could. */
  scopes: string[];
  /** From then on it is refused. Null: never. */
  expiresAt: Date | null;
  updateMask: FieldMask | null;
  /** Takes level ADMIN. Null: the default group. */
  clientGroupId: string | null;
}

/** `UpdateApiKeyRequest`, to be written. */
export interface UpdateApiKeyRequestInput {
  keyId: string;
  name?: string | null | undefined;
  scopes?: readonly string[] | null | undefined;
  expiresAt?: Date | null | undefined;
  updateMask?: FieldMask | null | undefined;
  clientGroupId?: string | null | undefined;
}

export interface RotateApiKeyRequest {
  keyId: string;
  /** How long the old secret keeps working: up to 30 days. */
  overlapSeconds: number;
}

/** `RotateApiKeyRequest`, to be written. */
export interface RotateApiKeyRequestInput {
  keyId: string;
  overlapSeconds?: number | null | undefined;
}

export interface RevokeApiKeyRequest {
  keyId: string;
}

/** `RevokeApiKeyRequest`, to be written. */
export interface RevokeApiKeyRequestInput {
  keyId: string;
}

export type SubscriptionTier =
  | 'BASIC'
  | 'TEAM';

export type RenewalCycle =
  | 'MONTHLY'
  | 'YEARLY';

export interface Organisation {
  /** Where the organisation is reached; the platform sends nothing there by itself. */
  email: string;
  /** What it is called: on invoices, in invitations and in lists. */
  name: string;
  /** Its picture; empty: none. */
  imageUrl: string;
  /** `org_` and a ULID. */
  id: string;
  /** Members with status active or suspended, oldest first. */
  members: OrganisationMember[];
  /** The plan that its subscription is of; BASIC without one. */
  subscriptionTier: SubscriptionTier | null;
  /** How many members may be active at the same time: the seats that are paid for, or 5 without a subscription. */
  maxMemberLimit: number;
  /** Whether the seats are paid for again when their period ends. */
  seatsRenewalEnabled: boolean;
  /** How long a period of the seats is. */
  seatsRenewalCycle: RenewalCycle | null;
  /** Until when the seats are paid for. Without a subscription: a month after the organisation was made. */
  seatsExpiredAt: Date | null;
  /** Always true: what costs credits is refused when there are none. */
  creditChecksEnabled: boolean;
  /** Whether there is a subscription. */
  hasPlan: boolean;
}

/** `Organisation`, to be written. */
export interface OrganisationInput {
  email: string;
  name: string;
  imageUrl: string;
  id: string;
  members: readonly OrganisationMemberInput[];
  subscriptionTier: SubscriptionTier | null;
  maxMemberLimit: number;
  seatsRenewalEnabled: boolean;
  seatsRenewalCycle: RenewalCycle | null;
  seatsExpiredAt?: Date | null | undefined;
  creditChecksEnabled: boolean;
  hasPlan: boolean;
}

/** An organisation as a list shows it to one of its members. */
export interface OrganisationSummary {
  /** As in the organisation itself, like the fields below. */
  email: string;
  /** What it is called. */
  name: string;
  /** Its picture; empty: none. */
  imageUrl: string;
  /** `org_` and a ULID. */
  id: string;
  /** Members with status active or suspended. */
  memberCount: number;
  /** The plan that its subscription is of; BASIC without one. */
  subscriptionTier: SubscriptionTier | null;
  /** How many members may be active at the same time: the seats that are paid for, or 5 without a subscription. */
  maxMemberLimit: number;
  /** Whether the seats are paid for again when their period ends. */
  seatsRenewalEnabled: boolean;
  /** How long a period of the seats is. */
  seatsRenewalCycle: RenewalCycle | null;
  /** Until when the seats are paid for. Without a subscription: a month after the organisation was made. */
  seatsExpiredAt: Date | null;
  /** Always true: what costs credits is refused when there are none. */
  creditChecksEnabled: boolean;
  /** Whether there is a subscription. */
  hasPlan: boolean;
  /** The caller's own. */
  permissionLevel: PermissionLevel | null;
  createdAt: Date | null;
}

/** `OrganisationSummary`, to be written. */
export interface OrganisationSummaryInput {
  email: string;
  name: string;
  imageUrl: string;
  id: string;
  memberCount: number;
  subscriptionTier: SubscriptionTier | null;
  maxMemberLimit: number;
  seatsRenewalEnabled: boolean;
  seatsRenewalCycle: RenewalCycle | null;
  seatsExpiredAt?: Date | null | undefined;
  creditChecksEnabled: boolean;
  hasPlan: boolean;
  permissionLevel: PermissionLevel | null;
  createdAt?: Date | null | undefined;
}

export type MemberStatus =
  | 'invited'
  | 'active'
  | 'suspended'
  | 'removed';

export interface OrganisationMember {
  /** The membership, as `id` of the member in `GET /organisations/members/`. */
  id: string;
  /** The person. */
  user: MemberUser | null;
  permissionLevel: PermissionLevel | null;
  /** `active` or `suspended`: who is suspended has no access, and keeps the level. */
  status: MemberStatus | null;
}

/** `OrganisationMember`, to be written. */
export interface OrganisationMemberInput {
  id: string;
  user?: MemberUserInput | null | undefined;
  permissionLevel: PermissionLevel | null;
  status: MemberStatus | null;
}

export interface MemberUser {
  /** The user, the same in every organisation. */
  id: string;
  /** As the identity provider said at the last request. */
  name: string;
  /** As the identity provider said at the last request. */
  email: string;
}

/** `MemberUser`, to be written. */
export interface MemberUserInput {
  id: string;
  name: string;
  email: string;
}

/** The answer to a delete. */
export interface Deleted {
  /** Of what is gone. */
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface CreateOrganisationRequest {
  /** Where the organisation is reached; answered in normal form. */
  email: string;
  name: string;
  /** Any text, but no link with another scheme than `http` or `https`. */
  imageUrl: string;
}

/** `CreateOrganisationRequest`, to be written. */
export interface CreateOrganisationRequestInput {
  email: string;
  name: string;
  imageUrl: string;
}

export interface ListOrganisationsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListOrganisationsRequest`, to be written. */
export interface ListOrganisationsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListOrganisationsResponse {
  /** Those of which the caller is an active member, newest first. */
  organisations: OrganisationSummary[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListOrganisationsResponse`, to be written. */
export interface ListOrganisationsResponseInput {
  organisations: readonly OrganisationSummaryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export type GetCurrentUserRequest = Record<string, never>;

/** `GetCurrentUserRequest`, to be written. */
export type GetCurrentUserRequestInput = Record<string, never>;

export interface CurrentUser {
  /** Of an API key: the user for whom it acts. */
  id: string;
  /** As the identity provider said last. */
  email: string;
  /** Whether the identity provider vouches for the address; invitations are found by it only then. */
  emailVerified: boolean;
  /** As the identity provider said last. */
  name: string;
  /** In which the request acts; null: in none, for there is none or none of several was named. */
  organisationId: string | null;
  /** There; of an API key at most ADMIN, within its scopes. */
  permissionLevel: PermissionLevel | null;
  /** Whose policy and usage the request counts against. */
  clientGroupId: string | null;
  /** Null: it came with a token. */
  apiKeyId: string | null;
  /** Of the API key. */
  scopes: string[];
  /**
   * The newest 200 of which the user is a member, in which a token can act; of an API key its own. `GET /organisations/` has
   * all of them.
   */
  organisations: CurrentUserOrganisation[];
}

/** `CurrentUser`, to be written. */
export interface CurrentUserInput {
  id: string;
  email: string;
  emailVerified: boolean;
  name: string;
  organisationId?: string | null | undefined;
  permissionLevel?: PermissionLevel | null | undefined;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  scopes: readonly string[];
  organisations: readonly CurrentUserOrganisationInput[];
}

export interface CurrentUserOrganisation {
  /** What `X-Organisation-Id` takes. */
  id: string;
  /** What it is called. */
  name: string;
  /** Its picture; empty: none. */
  imageUrl: string;
  /** The user's own in it. */
  permissionLevel: PermissionLevel | null;
}

/** `CurrentUserOrganisation`, to be written. */
export interface CurrentUserOrganisationInput {
  id: string;
  name: string;
  imageUrl: string;
  permissionLevel: PermissionLevel | null;
}

export type GetCurrentOrganisationRequest = Record<string, never>;

/** `GetCurrentOrganisationRequest`, to be written. */
export type GetCurrentOrganisationRequestInput = Record<string, never>;

export interface UpdateCurrentOrganisationRequest {
  email: string;
  name: string;
  imageUrl: string;
  /** Names of the body fields that were present, null or not. */
  updateMask: FieldMask | null;
}

/** `UpdateCurrentOrganisationRequest`, to be written. */
export interface UpdateCurrentOrganisationRequestInput {
  email?: string | null | undefined;
  name?: string | null | undefined;
  imageUrl?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export type DeleteCurrentOrganisationRequest = Record<string, never>;

/** `DeleteCurrentOrganisationRequest`, to be written. */
export type DeleteCurrentOrganisationRequestInput = Record<string, never>;

export interface TransferOwnershipRequest {
  /** Who becomes OWNER: an active member. */
  memberId: string;
}

/** `TransferOwnershipRequest`, to be written. */
export interface TransferOwnershipRequestInput {
  memberId: string;
}

export type LeaveOrganisationRequest = Record<string, never>;

/** `LeaveOrganisationRequest`, to be written. */
export type LeaveOrganisationRequestInput = Record<string, never>;

export interface ApplySubscriptionRequest {
  organisationId: string;
  /** Grows with every change of the subscription. */
  version: string;
  subscriptionTier: SubscriptionTier;
  maxMemberLimit: number;
  seatsRenewalEnabled: boolean;
  seatsRenewalCycle: RenewalCycle;
  /** Null: what it was. */
  seatsExpiredAt: Date | null;
  creditChecksEnabled: boolean;
  hasPlan: boolean;
  /**
   * Refuses the change when more members are active, counted while nobody can join. Null:
   * any number will do; nobody is thrown out, but nobody new gets in.
   */
  mostActiveMembers: number | null;
}

/** `ApplySubscriptionRequest`, to be written. */
export interface ApplySubscriptionRequestInput {
  organisationId: string;
  version?: Int64Input | null | undefined;
  subscriptionTier: SubscriptionTier;
  maxMemberLimit?: number | null | undefined;
  seatsRenewalEnabled?: boolean | null | undefined;
  seatsRenewalCycle: RenewalCycle;
  seatsExpiredAt?: Date | null | undefined;
  creditChecksEnabled?: boolean | null | undefined;
  hasPlan?: boolean | null | undefined;
  mostActiveMembers?: number | null | undefined;
}

export interface ResolveOrganisationRequest {
  organisationId: string;
}

/** `ResolveOrganisationRequest`, to be written. */
export interface ResolveOrganisationRequestInput {
  organisationId: string;
}

/** What other services know an organisation by. */
export interface ResolvedOrganisation {
  organisationId: string;
  name: string;
}

/** `ResolvedOrganisation`, to be written. */
export interface ResolvedOrganisationInput {
  organisationId: string;
  name: string;
}

export interface AuditEntry {
  id: string;
  createdAt: Date | null;
  /** `user`, `api_key` or `service`. */
  actorType: string;
  /** The user, the API key or the service. */
  actorId: string;
  /** As it was at the time. */
  actorName: string;
  /** The event's name: `client_group.updated`. */
  action: string;
  /** What was changed: `client_group`. */
  targetType: string;
  /** Which of them. */
  targetId: string;
  /** The changed fields before and after; null where there was or is nothing. */
  before: JsonObject | null;
  /** As `before`. */
  after: JsonObject | null;
  /** The request that led to it, as its `X-Request-Id`; empty: none did. */
  requestId: string;
  /** The user for whom a key has acted; null for users and services, who act for themselves. */
  onBehalfOfUserId: string | null;
  /** As it was at the time. */
  onBehalfOfUserName: string | null;
}

/** `AuditEntry`, to be written. */
export interface AuditEntryInput {
  id: string;
  createdAt?: Date | null | undefined;
  actorType: string;
  actorId: string;
  actorName: string;
  action: string;
  targetType: string;
  targetId: string;
  before?: JsonObjectInput | null | undefined;
  after?: JsonObjectInput | null | undefined;
  requestId: string;
  onBehalfOfUserId?: string | null | undefined;
  onBehalfOfUserName?: string | null | undefined;
}

export interface ListAuditEntriesRequest {
  /** What this user, key or service has done. */
  actorId: string;
  /** Exactly this event: `client_group.updated`. */
  action: string;
  /** What was changed: `client_group`. */
  targetType: string;
  /** Exactly this one; best with `target_type`. */
  targetId: string;
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
  /** What was done with the keys of this user. */
  onBehalfOfUserId: string;
}

/** `ListAuditEntriesRequest`, to be written. */
export interface ListAuditEntriesRequestInput {
  actorId?: string | null | undefined;
  action?: string | null | undefined;
  targetType?: string | null | undefined;
  targetId?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
  onBehalfOfUserId?: string | null | undefined;
}

export interface ListAuditEntriesResponse {
  /** Newest first. */
  entries: AuditEntry[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListAuditEntriesResponse`, to be written. */
export interface ListAuditEntriesResponseInput {
  entries: readonly AuditEntryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface ResolveUserRequest {
  /** The token's issuer and subject: together they name a user for good. */
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  name: string;
  /**
   * The X-Organisation-Id header, as long as a header can be: the user must be an active member of it. Empty: not
   * sent.
   */
  organisationId: string;
  /**
   * The token's `org_id` claim. Followed when the user is an active member of it, before the
   * header; otherwise as if absent. With neither, the user's only organisation is taken.
   */
  claimedOrganisationId: string;
  /** The token's `sid` claim. Empty: it names no session. */
  sessionId: string;
  /** The token's `iat` claim, in whole seconds. */
  issuedAt: Date | null;
}

/** `ResolveUserRequest`, to be written. */
export interface ResolveUserRequestInput {
  issuer: string;
  subject: string;
  email?: string | null | undefined;
  emailVerified?: boolean | null | undefined;
  name?: string | null | undefined;
  organisationId?: string | null | undefined;
  claimedOrganisationId?: string | null | undefined;
  sessionId?: string | null | undefined;
  issuedAt?: Date | null | undefined;
}

export interface EndSessionsRequest {
  /** The issuer of the logout token. */
  issuer: string;
  /** The `jti` of the logout token: each counts once. */
  tokenId: string;
  /** Whose sessions end. Empty: those of whoever has the session. */
  subject: string;
  /** The session that ends. Empty: all of the subject. */
  sessionId: string;
  /** When the logout token was issued: later tokens of the subject are of later sessions. */
  endedAt: Date;
}

/** `EndSessionsRequest`, to be written. */
export interface EndSessionsRequestInput {
  issuer: string;
  tokenId: string;
  subject?: string | null | undefined;
  sessionId?: string | null | undefined;
  endedAt: Date;
}

export type EndSessionsResponse = Record<string, never>;

/** `EndSessionsResponse`, to be written. */
export type EndSessionsResponseInput = Record<string, never>;

export interface ResolveApiKeyRequest {
  /** SHA-256 of the whole key, 32 bytes. */
  keyHash: Buffer;
}

/** `ResolveApiKeyRequest`, to be written. */
export interface ResolveApiKeyRequestInput {
  keyHash?: Uint8Array | null | undefined;
}

export interface ResolvedCaller {
  userId: string;
  userName: string;
  userEmail: string;
  /** Empty for a caller without an organisation. */
  organisationId: string;
  level: PermissionLevel | null;
  /** Only for a key. */
  apiKeyId: string;
  scopes: string[];
  /** When the credential ends by itself; absent: unknown here. */
  expiresAt: Date | null;
  emailVerified: boolean;
  /**
   * The client group the caller's requests and credits count for: the one named by the key; of a user, the
   * one that has the user's verified e-mail address as a member, the oldest of several; else the default
   * group. Empty only without an organisation.
   */
  clientGroupId: string;
  /** The user has several organisations and named none of them; then there is no organisation_id. */
  organisationRequired: boolean;
  /** The user is an active member nowhere, and a suspended one somewhere; then there is no organisation_id. */
  membershipSuspended: boolean;
}

/** `ResolvedCaller`, to be written. */
export interface ResolvedCallerInput {
  userId: string;
  userName: string;
  userEmail: string;
  organisationId: string;
  level: PermissionLevel | null;
  apiKeyId: string;
  scopes: readonly string[];
  expiresAt?: Date | null | undefined;
  emailVerified: boolean;
  clientGroupId: string;
  organisationRequired: boolean;
  membershipSuspended: boolean;
}

export type AccessLevel =
  | 'VIEW'
  | 'COMMENT'
  | 'EDIT'
  | 'MANAGE';

/**
 * One entry of an access list: a JSON object of strings, which maps what it opens to an access level, as in
 * `{"0f8fad5b-d9cb-469f-a165-70867728950e": "VIEW"}`. Files are documents by their ids, folders collections by their
 * names, assets conventions and assistants by their ids. Whatever else stands in it is kept and opens nothing.
 */
export interface AccessEntry {
  /** `VIEW`, `COMMENT`, `EDIT` or `MANAGE`: each opens it. */
  entry: Record<string, string>;
}

/** `AccessEntry`, to be written. */
export interface AccessEntryInput {
  entry: Readonly<Record<string, string | undefined>>;
}

export interface ClientGroup {
  id: string;
  /** What the organisation calls it; several may have the same. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  archived: boolean;
  isDefault: boolean;
  /** Oldest first. */
  members: ClientMember[];
  /** Oldest first. */
  workspaces: ClientWorkspace[];
  /** Null when the group has none. */
  policy: ClientPolicy | null;
  usage: Record<string, number | string | null>;
  assetAccess: AccessEntry[];
  folderAccess: AccessEntry[];
  fileAccess: AccessEntry[];
}

/** `ClientGroup`, to be written. */
export interface ClientGroupInput {
  id: string;
  name: string;
  description: string;
  archived: boolean;
  isDefault: boolean;
  members: readonly ClientMemberInput[];
  workspaces: readonly ClientWorkspaceInput[];
  policy?: ClientPolicyInput | null | undefined;
  usage: Readonly<Record<string, number | string | null | undefined>>;
  assetAccess: readonly AccessEntryInput[];
  folderAccess: readonly AccessEntryInput[];
  fileAccess: readonly AccessEntryInput[];
}

/** A group as a list shows it: how many members and workspaces instead of them. */
export interface ClientGroupSummary {
  id: string;
  /** What the organisation calls it; several may have the same. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  archived: boolean;
  isDefault: boolean;
  /** How many people of the client it has. */
  memberCount: number;
  /** How many workspaces it has. */
  workspaceCount: number;
  /** Null when the group has none. */
  policy: ClientPolicy | null;
  usage: Record<string, number | string | null>;
  createdAt: Date | null;
}

/** `ClientGroupSummary`, to be written. */
export interface ClientGroupSummaryInput {
  id: string;
  name: string;
  description: string;
  archived: boolean;
  isDefault: boolean;
  memberCount: number;
  workspaceCount: number;
  policy?: ClientPolicyInput | null | undefined;
  usage: Readonly<Record<string, number | string | null | undefined>>;
  createdAt?: Date | null | undefined;
}

export interface ClientMember {
  id: string;
  /** The person at the client. */
  name: string;
  /** The person's; unique within the group. */
  email: string;
  status: MemberStatus | null;
  folderAccess: AccessEntry[];
  fileAccess: AccessEntry[];
}

/** `ClientMember`, to be written. */
export interface ClientMemberInput {
  id: string;
  name: string;
  email: string;
  status: MemberStatus | null;
  folderAccess: readonly AccessEntryInput[];
  fileAccess: readonly AccessEntryInput[];
}

export interface ClientWorkspace {
  id: string;
  /** What it is called; several may have the same. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  /** What the group's members may do in it, each level including those before it. Its clients keep to it. */
  accessLevel: AccessLevel | null;
}

/** `ClientWorkspace`, to be written. */
export interface ClientWorkspaceInput {
  id: string;
  name: string;
  description: string;
  accessLevel: AccessLevel | null;
}

export interface ClientPolicy {
  /** How long a period is in which its limits count; the first begins with the day on which the group was made. */
  periodDays: number;
  /** Whole credits; null: no limit. */
  aiCreditLimit: string | null;
  /** Whole credits of runs and kernels in a period; null: no limit. */
  infrastructureCreditLimit: string | null;
  /** Requests; null: no limit. */
  requestLimit: string | null;
  /** Refuse at the limit (true) or only warn (false). */
  hardStop: boolean;
}

/** `ClientPolicy`, to be written. */
export interface ClientPolicyInput {
  periodDays: number;
  aiCreditLimit?: Int64Input | null | undefined;
  infrastructureCreditLimit?: Int64Input | null | undefined;
  requestLimit?: Int64Input | null | undefined;
  hardStop: boolean;
}

export interface ClientGroupUsage {
  usage: Record<string, number | string | null>;
}

/** `ClientGroupUsage`, to be written. */
export interface ClientGroupUsageInput {
  usage: Readonly<Record<string, number | string | null | undefined>>;
}

export interface CreateClientGroupRequest {
  name: string;
  description: string;
}

/** `CreateClientGroupRequest`, to be written. */
export interface CreateClientGroupRequestInput {
  name: string;
  description?: string | null | undefined;
}

export interface ListClientGroupsRequest {
  /** Those in the archive instead of the others, which are answered when it is false or absent. */
  archived: boolean | null;
  /** Part of the name, in any case. */
  search: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListClientGroupsRequest`, to be written. */
export interface ListClientGroupsRequestInput {
  archived?: boolean | null | undefined;
  search?: string | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListClientGroupsResponse {
  /** Newest first. */
  clientGroups: ClientGroupSummary[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListClientGroupsResponse`, to be written. */
export interface ListClientGroupsResponseInput {
  clientGroups: readonly ClientGroupSummaryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetClientGroupRequest {
  groupId: string;
}

/** `GetClientGroupRequest`, to be written. */
export interface GetClientGroupRequestInput {
  groupId: string;
}

export interface UpdateClientGroupRequest {
  groupId: string;
  name: string;
  description: string;
  updateMask: FieldMask | null;
}

/** `UpdateClientGroupRequest`, to be written. */
export interface UpdateClientGroupRequestInput {
  groupId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface ArchiveClientGroupRequest {
  groupId: string;
}

/** `ArchiveClientGroupRequest`, to be written. */
export interface ArchiveClientGroupRequestInput {
  groupId: string;
}

export interface RestoreClientGroupRequest {
  groupId: string;
}

/** `RestoreClientGroupRequest`, to be written. */
export interface RestoreClientGroupRequestInput {
  groupId: string;
}

export interface MakeDefaultClientGroupRequest {
  groupId: string;
}

/** `MakeDefaultClientGroupRequest`, to be written. */
export interface MakeDefaultClientGroupRequestInput {
  groupId: string;
}

export interface ListClientMembersRequest {
  groupId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListClientMembersRequest`, to be written. */
export interface ListClientMembersRequestInput {
  groupId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListClientMembersResponse {
  /** Oldest first. */
  members: ClientMember[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListClientMembersResponse`, to be written. */
export interface ListClientMembersResponseInput {
  members: readonly ClientMemberInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface AddClientMemberRequest {
  groupId: string;
  name: string;
  email: string;
  status: MemberStatus;
  folderAccess: AccessEntry[];
  fileAccess: AccessEntry[];
}

/** `AddClientMemberRequest`, to be written. */
export interface AddClientMemberRequestInput {
  groupId: string;
  name: string;
  email: string;
  status?: MemberStatus | null | undefined;
  folderAccess?: readonly AccessEntryInput[] | null | undefined;
  fileAccess?: readonly AccessEntryInput[] | null | undefined;
}

export interface UpdateClientMemberRequest {
  groupId: string;
  memberId: string;
  name: string;
  status: MemberStatus | null;
  folderAccess: AccessEntry[];
  fileAccess: AccessEntry[];
  updateMask: FieldMask | null;
}

/** `UpdateClientMemberRequest`, to be written. */
export interface UpdateClientMemberRequestInput {
  groupId: string;
  memberId: string;
  name?: string | null | undefined;
  status?: MemberStatus | null | undefined;
  folderAccess?: readonly AccessEntryInput[] | null | undefined;
  fileAccess?: readonly AccessEntryInput[] | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface RemoveClientMemberRequest {
  groupId: string;
  memberId: string;
}

/** `RemoveClientMemberRequest`, to be written. */
export interface RemoveClientMemberRequestInput {
  groupId: string;
  memberId: string;
}

export interface ListClientWorkspacesRequest {
  groupId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListClientWorkspacesRequest`, to be written. */
export interface ListClientWorkspacesRequestInput {
  groupId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListClientWorkspacesResponse {
  /** Oldest first. */
  workspaces: ClientWorkspace[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListClientWorkspacesResponse`, to be written. */
export interface ListClientWorkspacesResponseInput {
  workspaces: readonly ClientWorkspaceInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface AddClientWorkspaceRequest {
  groupId: string;
  name: string;
  description: string;
  accessLevel: AccessLevel;
}

/** `AddClientWorkspaceRequest`, to be written. */
export interface AddClientWorkspaceRequestInput {
  groupId: string;
  name: string;
  description?: string | null | undefined;
  accessLevel?: AccessLevel | null | undefined;
}

export interface UpdateClientWorkspaceRequest {
  groupId: string;
  workspaceId: string;
  name: string;
  description: string;
  accessLevel: AccessLevel | null;
  updateMask: FieldMask | null;
}

/** `UpdateClientWorkspaceRequest`, to be written. */
export interface UpdateClientWorkspaceRequestInput {
  groupId: string;
  workspaceId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  accessLevel?: AccessLevel | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface RemoveClientWorkspaceRequest {
  groupId: string;
  workspaceId: string;
}

/** `RemoveClientWorkspaceRequest`, to be written. */
export interface RemoveClientWorkspaceRequestInput {
  groupId: string;
  workspaceId: string;
}

export interface SetClientPolicyRequest {
  groupId: string;
  periodDays: number;
  aiCreditLimit: string | null;
  /** Whole credits of runs and kernels in a period; null: no limit. */
  infrastructureCreditLimit: string | null;
  requestLimit: string | null;
  hardStop: boolean;
}

/** `SetClientPolicyRequest`, to be written. */
export interface SetClientPolicyRequestInput {
  groupId: string;
  periodDays: number;
  aiCreditLimit: Int64Input | null;
  infrastructureCreditLimit: Int64Input | null;
  requestLimit: Int64Input | null;
  hardStop: boolean;
}

export interface RemoveClientPolicyRequest {
  groupId: string;
}

/** `RemoveClientPolicyRequest`, to be written. */
export interface RemoveClientPolicyRequestInput {
  groupId: string;
}

export interface SetClientGroupAccessRequest {
  groupId: string;
  assetAccess: AccessEntry[];
  folderAccess: AccessEntry[];
  fileAccess: AccessEntry[];
  updateMask: FieldMask | null;
}

/** `SetClientGroupAccessRequest`, to be written. */
export interface SetClientGroupAccessRequestInput {
  groupId: string;
  assetAccess?: readonly AccessEntryInput[] | null | undefined;
  folderAccess?: readonly AccessEntryInput[] | null | undefined;
  fileAccess?: readonly AccessEntryInput[] | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface GetClientGroupUsageRequest {
  groupId: string;
}

/** `GetClientGroupUsageRequest`, to be written. */
export interface GetClientGroupUsageRequestInput {
  groupId: string;
}

export interface ResolveClientPolicyRequest {
  organisationId: string;
  /** Absent: the organisation's default group. */
  groupId: string | null;
}

/** `ResolveClientPolicyRequest`, to be written. */
export interface ResolveClientPolicyRequestInput {
  organisationId: string;
  groupId?: string | null | undefined;
}

export interface ResolvedClientPolicy {
  groupId: string;
  /** Null when the group has none. */
  policy: ClientPolicy | null;
  /** Policy periods are counted from the day of the group's making. */
  groupCreatedAt: Date | null;
  /** Grows with every change of the policy or of which group is the default one, as in the events of client groups. */
  version: string;
  isDefault: boolean;
}

/** `ResolvedClientPolicy`, to be written. */
export interface ResolvedClientPolicyInput {
  groupId: string;
  policy?: ClientPolicyInput | null | undefined;
  groupCreatedAt?: Date | null | undefined;
  version: Int64Input;
  isDefault: boolean;
}

export interface RecordClientGroupUsageRequest {
  organisationId: string;
  groupId: string;
  /** Grows with every report of the group. */
  version: string;
  usage: Record<string, JsonValue>;
}

/** `RecordClientGroupUsageRequest`, to be written. */
export interface RecordClientGroupUsageRequestInput {
  organisationId: string;
  groupId: string;
  version?: Int64Input | null | undefined;
  usage?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export type RecordClientGroupUsageResponse = Record<string, never>;

/** `RecordClientGroupUsageResponse`, to be written. */
export type RecordClientGroupUsageResponseInput = Record<string, never>;

export interface ResolveClientAccessRequest {
  /** Of a member, the user. */
  userId: string | null;
  /** Of a key, its id; the user then counts for nothing. */
  apiKeyId: string | null;
}

/** `ResolveClientAccessRequest`, to be written. */
export interface ResolveClientAccessRequestInput {
  userId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
}

/** Of each list the first thousand, of the oldest groups first. */
export interface ResolvedClientAccess {
  groupIds: string[];
  /** Documents, by their ids. */
  files: string[];
  /** Collections, by their names. */
  folders: string[];
  /** Conventions and assistants, by their ids. */
  assets: string[];
}

/** `ResolvedClientAccess`, to be written. */
export interface ResolvedClientAccessInput {
  groupIds: readonly string[];
  files: readonly string[];
  folders: readonly string[];
  assets: readonly string[];
}

export interface ResolveClientGroupsRequest {
  groupIds: string[];
}

/** `ResolveClientGroupsRequest`, to be written. */
export interface ResolveClientGroupsRequestInput {
  groupIds: readonly string[];
}

export interface ResolvedClientGroups {
  groupIds: string[];
}

/** `ResolvedClientGroups`, to be written. */
export interface ResolvedClientGroupsInput {
  groupIds: readonly string[];
}

export interface Member {
  id: string;
  /** Null until the invited person has accepted. */
  user: MemberUser | null;
  /** The user's; of an invitation the address that was invited. */
  email: string;
  permissionLevel: PermissionLevel | null;
  status: MemberStatus | null;
  createdAt: Date | null;
  /** Null unless invited. */
  invitationExpiresAt: Date | null;
}

/** `Member`, to be written. */
export interface MemberInput {
  id: string;
  user?: MemberUserInput | null | undefined;
  email: string;
  permissionLevel: PermissionLevel | null;
  status: MemberStatus | null;
  createdAt?: Date | null | undefined;
  invitationExpiresAt?: Date | null | undefined;
}

export interface Invitation {
  id: string;
  /** Into which one is invited. */
  organisationId: string;
  /** What it is called now. */
  organisationName: string;
  /** The name of who has invited, in person or by a key. */
  invitedBy: string;
  permissionLevel: PermissionLevel | null;
  createdAt: Date | null;
  /** Afterwards it cannot be accepted. */
  expiresAt: Date | null;
}

/** `Invitation`, to be written. */
export interface InvitationInput {
  id: string;
  organisationId: string;
  organisationName: string;
  invitedBy: string;
  permissionLevel: PermissionLevel | null;
  createdAt?: Date | null | undefined;
  expiresAt?: Date | null | undefined;
}

export interface ListMembersRequest {
  /** Any of these; none: all. */
  status: MemberStatus[];
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListMembersRequest`, to be written. */
export interface ListMembersRequestInput {
  status?: readonly MemberStatus[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListMembersResponse {
  /** Oldest first. */
  members: Member[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListMembersResponse`, to be written. */
export interface ListMembersResponseInput {
  members: readonly MemberInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetMemberRequest {
  memberId: string;
}

/** `GetMemberRequest`, to be written. */
export interface GetMemberRequestInput {
  memberId: string;
}

export interface InviteMemberRequest {
  /** Who signs in with this address, verified, may accept. */
  email: string;
  permissionLevel: PermissionLevel;
}

/** `InviteMemberRequest`, to be written. */
export interface InviteMemberRequestInput {
  email: string;
  permissionLevel?: PermissionLevel | null | undefined;
}

export interface UpdateMemberRequest {
  memberId: string;
  permissionLevel: PermissionLevel | null;
  /** `active` or `suspended`. */
  status: MemberStatus | null;
  updateMask: FieldMask | null;
}

/** `UpdateMemberRequest`, to be written. */
export interface UpdateMemberRequestInput {
  memberId: string;
  permissionLevel?: PermissionLevel | null | undefined;
  status?: MemberStatus | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface RemoveMemberRequest {
  memberId: string;
}

/** `RemoveMemberRequest`, to be written. */
export interface RemoveMemberRequestInput {
  memberId: string;
}

export interface ListInvitationsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListInvitationsRequest`, to be written. */
export interface ListInvitationsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListInvitationsResponse {
  /** Those that can be accepted. */
  invitations: Invitation[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListInvitationsResponse`, to be written. */
export interface ListInvitationsResponseInput {
  invitations: readonly InvitationInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface AcceptInvitationRequest {
  invitationId: string;
}

/** `AcceptInvitationRequest`, to be written. */
export interface AcceptInvitationRequestInput {
  invitationId: string;
}

export interface DeclineInvitationRequest {
  invitationId: string;
}

/** `DeclineInvitationRequest`, to be written. */
export interface DeclineInvitationRequestInput {
  invitationId: string;
}

export interface ResolveMembersRequest {
  userIds: string[];
}

/** `ResolveMembersRequest`, to be written. */
export interface ResolveMembersRequestInput {
  userIds: readonly string[];
}

export interface ResolvedMembers {
  members: ResolvedMember[];
}

/** `ResolvedMembers`, to be written. */
export interface ResolvedMembersInput {
  members: readonly ResolvedMemberInput[];
}

export interface ResolvedMember {
  userId: string;
  name: string;
  email: string;
  permissionLevel: PermissionLevel | null;
}

/** `ResolvedMember`, to be written. */
export interface ResolvedMemberInput {
  userId: string;
  name: string;
  email: string;
  permissionLevel: PermissionLevel | null;
}
