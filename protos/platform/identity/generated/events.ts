// Generated from protos/platform/events/v1/identity by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type IdentityEvents = {
  readonly 'organisation.created': OrganisationCreated;
  readonly 'organisation.updated': OrganisationUpdated;
  readonly 'organisation.deleted': OrganisationDeleted;
  readonly 'member.invited': MemberInvited;
  readonly 'member.invitation_withdrawn': MemberInvitationWithdrawn;
  readonly 'member.invitation_declined': MemberInvitationDeclined;
  readonly 'member.added': MemberAdded;
  readonly 'member.removed': MemberRemoved;
  readonly 'member.level_changed': MemberLevelChanged;
  readonly 'member.suspended': MemberSuspended;
  readonly 'member.reactivated': MemberReactivated;
  readonly 'client_group.created': ClientGroupCreated;
  readonly 'client_group.updated': ClientGroupUpdated;
  readonly 'client_group.archived': ClientGroupArchived;
  readonly 'api_key.created': ApiKeyCreated;
  readonly 'api_key.updated': ApiKeyUpdated;
  readonly 'api_key.rotated': ApiKeyRotated;
  readonly 'api_key.revoked': ApiKeyRevoked;
  readonly 'audit.recorded': AuditRecorded;
};

/** An organisation was founded. */
export type OrganisationCreated = {
  readonly organisation_id: string;
  readonly name: string;
  /** Where the organisation is reached. */
  readonly email: string;
  /** Who has made it. */
  readonly owner_user_id: string;
};

/** It is called or reached otherwise, or its subscription is another. */
export type OrganisationUpdated = {
  readonly organisation_id: string;
  readonly changed_fields: readonly string[];
};

/** Every membership and key of it has ended. */
export type OrganisationDeleted = {
  readonly organisation_id: string;
};

/** Also when an expired invitation is renewed. */
export type MemberInvited = {
  readonly member_id: string;
  /** Null: an invitation has no user yet. */
  readonly user_id: string | null;
  readonly email: string;
  /** `VIEWER`, `EDITOR`, `ADMIN` or `OWNER`, here and below. */
  readonly permission_level: string;
  readonly expires_at: string;
};

/** An invitation cannot be accepted any more. */
export type MemberInvitationWithdrawn = {
  readonly member_id: string;
  readonly user_id: string | null;
};

/** Who was invited does not want to. */
export type MemberInvitationDeclined = {
  readonly member_id: string;
  readonly user_id: string | null;
};

/** An invitation was accepted, or the organisation founded. */
export type MemberAdded = {
  readonly member_id: string;
  readonly user_id: string;
  readonly permission_level: string;
};

/** Access has ended, and with it that of the member's keys. */
export type MemberRemoved = {
  readonly member_id: string;
  readonly user_id: string;
  /** `removed` by somebody, or `left`. */
  readonly reason: string;
};

/** A member may do more or less, or so an invitation offers. */
export type MemberLevelChanged = {
  readonly member_id: string;
  /** Null when the level an invitation offers has changed. */
  readonly user_id: string | null;
  readonly permission_level: string;
  /** The level before. */
  readonly previous_permission_level: string;
};

/** Access has ended, and with it that of the member's keys. */
export type MemberSuspended = {
  readonly member_id: string;
  readonly user_id: string;
};

/** A member who was suspended has access again. */
export type MemberReactivated = {
  readonly member_id: string;
  readonly user_id: string;
};

/** A client group after the change, as whoever holds usage against its policy needs it. */
export type ClientGroupState = {
  /** A whole number that grows with every change of what stands here: an older one is no news. */
  readonly version: string;
  /** Null: there is none. */
  readonly policy: ClientGroupPolicy | null;
  /** Whether requests that name no client group count for this one. */
  readonly is_default: boolean;
  /** Policy periods are counted from the day of the group's making. */
  readonly created_at: string;
};

/** What a client group may use in each period; null: no limit. Limits are whole numbers as text. */
export type ClientGroupPolicy = {
  /** How long a period is in which the limits count. */
  readonly period_days: number;
  /** Whole credits of assistants, transcription and embeddings. */
  readonly ai_credit_limit: string | null;
  /** Whole credits of runs and kernels. */
  readonly infrastructure_credit_limit: string | null;
  /** How many requests. */
  readonly request_limit: string | null;
  /** Refuse at the limit, or only warn. */
  readonly hard_stop: boolean;
};

/** A client group was made; the first one comes with the organisation. */
export type ClientGroupCreated = {
  readonly client_group_id: string;
  readonly name: string;
  /** Whether requests that name no client group count for this one. */
  readonly is_default: boolean;
  /** All that holding usage against its policy takes. */
  readonly group: ClientGroupState;
};

/**
 * Also when members, workspaces, policy or access lists change, when it
 * becomes or stops being the default, and when it leaves the archive.
 */
export type ClientGroupUpdated = {
  readonly client_group_id: string;
  readonly changed_fields: readonly string[];
  /** Null where only members, workspaces or access lists have changed. */
  readonly group: ClientGroupState | null;
};

/** It was put into the archive. */
export type ClientGroupArchived = {
  readonly client_group_id: string;
  /** All that holding usage against its policy takes. */
  readonly group: ClientGroupState;
};

/** A key works from now on. */
export type ApiKeyCreated = {
  readonly api_key_id: string;
  /** The user the key acts for. */
  readonly user_id: string;
  readonly key_prefix: string;
  /** `<area>:<read|write|admin>`; `*` stands for every area. */
  readonly scopes: readonly string[];
  /** Null: never. */
  readonly expires_at: string | null;
  /** Null: the default group. */
  readonly client_group_id: string | null;
};

/** It may do less, end earlier or count for another client group than before. */
export type ApiKeyUpdated = {
  readonly api_key_id: string;
  readonly changed_fields: readonly string[];
};

/** A key has another secret; the one before works until `former_valid_until`. */
export type ApiKeyRotated = {
  readonly api_key_id: string;
  readonly key_prefix: string;
  /** Until when the secret before this one works. */
  readonly former_valid_until: string;
};

/** A key does not work any more. */
export type ApiKeyRevoked = {
  readonly api_key_id: string;
  readonly user_id: string;
};

/** One for each change, with what members may know of it: an entry of the audit log. */
export type AuditRecorded = {
  /** Of the entry in the audit log. */
  readonly audit_entry_id: string;
  /** `user`, `api_key` or `service`. */
  readonly actor_type: string;
  /** The user, the API key or the service. */
  readonly actor_id: string;
  /** As it was at the time. Empty for a key where it is not known; the audit log knows it. */
  readonly actor_name: string;
  /** The name of the event: `client_group.updated`. */
  readonly action: string;
  /** What was changed: `client_group`. */
  readonly target_type: string;
  /** Which of them. */
  readonly target_id: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly on_behalf_of_user_id: string | null;
  /** As it was at the time. */
  readonly on_behalf_of_user_name: string | null;
  /** The changed fields before and after; null where there was or is nothing. Long lists and texts are cut. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** As `before`. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The request that led to it, as in `X-Request-Id`. */
  readonly request_id: string;
  /** When it was changed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
};

/**
 * Work has cost credits. It is written in the transaction that ends the work, so that the one is never there without the
 * other, and billing books it once by its id, however late and however often it comes: also when the reservation has
 * expired, was given back or never was. The balance may go below zero by it.
 */
export type DebitCreated = {
  /** The same for the same work, whoever writes it down: two replicas that both end a piece of work debit it once. */
  readonly debit_id: string;
  /** What was set aside for it; while that is still open, it is settled by this debit and the rest is given back. */
  readonly reservation_id: string | null;
  /** A whole number as text, at least 1: 1 credit = 1,000,000 micros. */
  readonly amount_micros: string;
  /** `AI` or `INFRASTRUCTURE`: which limit of the group's policy it counts against. */
  readonly credit_class: string;
  /** As of its reservation, shown in the ledger: `assistant_message`, `kernel_minute`. */
  readonly purpose: string;
  /** What was done: the message, the kernel, the run. */
  readonly work_id: string;
  /** Whose policy and usage it counts against. Null: those of its reservation, or else the default group. */
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
  /** The user for whom it was done. Null: nobody in particular. */
  readonly member_id: string | null;
  /** When the work was done, on whose day it is counted: RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
};
