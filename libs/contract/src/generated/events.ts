// Generated from protos/platform/events/v1 by `npm run generate`. Do not edit.

/** organisation.created */
export interface OrganisationCreated {
  organisationId: string;
  name: string;
  email: string;
  ownerUserId: string;
}

/** `OrganisationCreated`, to be written. */
export interface OrganisationCreatedInput {
  organisationId: string;
  name: string;
  email: string;
  ownerUserId: string;
}

/** organisation.updated */
export interface OrganisationUpdated {
  organisationId: string;
  changedFields: string[];
}

/** `OrganisationUpdated`, to be written. */
export interface OrganisationUpdatedInput {
  organisationId: string;
  changedFields: readonly string[];
}

/** organisation.deleted: every membership and key of it has ended. */
export interface OrganisationDeleted {
  organisationId: string;
}

/** `OrganisationDeleted`, to be written. */
export interface OrganisationDeletedInput {
  organisationId: string;
}

/** member.invited: also when an expired invitation is renewed. */
export interface MemberInvited {
  memberId: string;
  /** Null: an invitation has no user yet. */
  userId: string | null;
  email: string;
  /** `VIEWER`, `EDITOR`, `ADMIN` or `OWNER`, here and below. */
  permissionLevel: string;
  expiresAt: Date | null;
}

/** `MemberInvited`, to be written. */
export interface MemberInvitedInput {
  memberId: string;
  userId?: string | null | undefined;
  email: string;
  permissionLevel: string;
  expiresAt?: Date | null | undefined;
}

/** member.invitation_withdrawn */
export interface MemberInvitationWithdrawn {
  memberId: string;
  userId: string | null;
}

/** `MemberInvitationWithdrawn`, to be written. */
export interface MemberInvitationWithdrawnInput {
  memberId: string;
  userId?: string | null | undefined;
}

/** member.invitation_declined */
export interface MemberInvitationDeclined {
  memberId: string;
  userId: string | null;
}

/** `MemberInvitationDeclined`, to be written. */
export interface MemberInvitationDeclinedInput {
  memberId: string;
  userId?: string | null | undefined;
}

/** member.added: an invitation was accepted, or the organisation founded. */
export interface MemberAdded {
  memberId: string;
  userId: string;
  permissionLevel: string;
}

/** `MemberAdded`, to be written. */
export interface MemberAddedInput {
  memberId: string;
  userId: string;
  permissionLevel: string;
}

/** member.removed: access has ended, and with it that of the member's keys. */
export interface MemberRemoved {
  memberId: string;
  userId: string;
  /** `removed` by somebody, or `left`. */
  reason: string;
}

/** `MemberRemoved`, to be written. */
export interface MemberRemovedInput {
  memberId: string;
  userId: string;
  reason: string;
}

/** member.level_changed */
export interface MemberLevelChanged {
  memberId: string;
  /** Null when the level an invitation offers has changed. */
  userId: string | null;
  permissionLevel: string;
  previousPermissionLevel: string;
}

/** `MemberLevelChanged`, to be written. */
export interface MemberLevelChangedInput {
  memberId: string;
  userId?: string | null | undefined;
  permissionLevel: string;
  previousPermissionLevel: string;
}

/** member.suspended: access has ended, and with it that of the member's keys. */
export interface MemberSuspended {
  memberId: string;
  userId: string;
}

/** `MemberSuspended`, to be written. */
export interface MemberSuspendedInput {
  memberId: string;
  userId: string;
}

/** member.reactivated */
export interface MemberReactivated {
  memberId: string;
  userId: string;
}

/** `MemberReactivated`, to be written. */
export interface MemberReactivatedInput {
  memberId: string;
  userId: string;
}

/** client_group.created */
export interface ClientGroupCreated {
  clientGroupId: string;
  name: string;
  isDefault: boolean;
}

/** `ClientGroupCreated`, to be written. */
export interface ClientGroupCreatedInput {
  clientGroupId: string;
  name: string;
  isDefault: boolean;
}

/**
 * client_group.updated: also when members, workspaces, policy or access lists change, when it
 * becomes or stops being the default, and when it leaves the archive.
 */
export interface ClientGroupUpdated {
  clientGroupId: string;
  changedFields: string[];
}

/** `ClientGroupUpdated`, to be written. */
export interface ClientGroupUpdatedInput {
  clientGroupId: string;
  changedFields: readonly string[];
}

/** client_group.archived */
export interface ClientGroupArchived {
  clientGroupId: string;
}

/** `ClientGroupArchived`, to be written. */
export interface ClientGroupArchivedInput {
  clientGroupId: string;
}

/** api_key.created */
export interface ApiKeyCreated {
  apiKeyId: string;
  /** The user the key acts for. */
  userId: string;
  keyPrefix: string;
  scopes: string[];
  expiresAt: Date | null;
}

/** `ApiKeyCreated`, to be written. */
export interface ApiKeyCreatedInput {
  apiKeyId: string;
  userId: string;
  keyPrefix: string;
  scopes: readonly string[];
  expiresAt?: Date | null | undefined;
}

/** api_key.updated: it may do less, or end earlier, than before. */
export interface ApiKeyUpdated {
  apiKeyId: string;
  changedFields: string[];
}

/** `ApiKeyUpdated`, to be written. */
export interface ApiKeyUpdatedInput {
  apiKeyId: string;
  changedFields: readonly string[];
}

/** api_key.rotated */
export interface ApiKeyRotated {
  apiKeyId: string;
  keyPrefix: string;
  /** Until when the secret before this one works. */
  formerValidUntil: Date | null;
}

/** `ApiKeyRotated`, to be written. */
export interface ApiKeyRotatedInput {
  apiKeyId: string;
  keyPrefix: string;
  formerValidUntil?: Date | null | undefined;
}

/** api_key.revoked */
export interface ApiKeyRevoked {
  apiKeyId: string;
  userId: string;
}

/** `ApiKeyRevoked`, to be written. */
export interface ApiKeyRevokedInput {
  apiKeyId: string;
  userId: string;
}

/** audit.recorded: one for each of the events above. */
export interface AuditRecorded {
  auditEntryId: string;
  /** `user`, `api_key` or `service`. */
  actorType: string;
  actorId: string;
  actorName: string;
  /** The name of the event: `client_group.updated`. */
  action: string;
  targetType: string;
  targetId: string;
}

/** `AuditRecorded`, to be written. */
export interface AuditRecordedInput {
  auditEntryId: string;
  actorType: string;
  actorId: string;
  actorName: string;
  action: string;
  targetType: string;
  targetId: string;
}
