// Generated from protos/platform/events/v1 by `npm run generate`. Do not edit.
import type { JsonObject, JsonObjectInput } from '../messages.ts';

/** credits.granted: also when they were bought. */
export interface CreditsGranted {
  grantId: string;
  /** `WELCOME`, `PLAN`, `PURCHASE` or `ADJUSTMENT`. */
  kind: string;
  amountMicros: string;
  expiresAt: string | null;
}

/** `CreditsGranted`, to be written. */
export interface CreditsGrantedInput {
  grantId: string;
  kind: string;
  amountMicros: string;
  expiresAt?: string | null | undefined;
}

/** credits.reserved */
export interface CreditsReserved {
  reservationId: string;
  amountMicros: string;
  purpose: string;
  clientGroupId: string | null;
  apiKeyId: string | null;
}

/** `CreditsReserved`, to be written. */
export interface CreditsReservedInput {
  reservationId: string;
  amountMicros: string;
  purpose: string;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
}

/** credits.settled */
export interface CreditsSettled {
  reservationId: string;
  reservedMicros: string;
  settledMicros: string;
  purpose: string;
  clientGroupId: string | null;
  apiKeyId: string | null;
}

/** `CreditsSettled`, to be written. */
export interface CreditsSettledInput {
  reservationId: string;
  reservedMicros: string;
  settledMicros: string;
  purpose: string;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
}

/** credits.released */
export interface CreditsReleased {
  reservationId: string;
  amountMicros: string;
  purpose: string;
  /** `released` by the service that reserved them, or `expired` because it was not heard of any more. */
  reason: string;
}

/** `CreditsReleased`, to be written. */
export interface CreditsReleasedInput {
  reservationId: string;
  amountMicros: string;
  purpose: string;
  reason: string;
}

/** credits.exhausted: nothing is left, or less than was asked for. Told once, until there are credits again. */
export interface CreditsExhausted {
  availableMicros: string;
}

/** `CreditsExhausted`, to be written. */
export interface CreditsExhaustedInput {
  availableMicros: string;
}

/** credits.expired */
export interface CreditsExpired {
  grantId: string;
  amountMicros: string;
}

/** `CreditsExpired`, to be written. */
export interface CreditsExpiredInput {
  grantId: string;
  amountMicros: string;
}

/** usage.threshold_reached: a client group has used 50, 80 or 100 % of a limit of its policy. Told once a period. */
export interface UsageThresholdReached {
  clientGroupId: string;
  /** `ai_credits`, `infrastructure_credits` or `requests`. */
  limitName: string;
  /** 50, 80 or 100. */
  percent: number;
  limit: string;
  used: string;
  periodEndsAt: Date | null;
}

/** `UsageThresholdReached`, to be written. */
export interface UsageThresholdReachedInput {
  clientGroupId: string;
  limitName: string;
  percent: number;
  limit: string;
  used: string;
  periodEndsAt?: Date | null | undefined;
}

/** subscription.changed: begun, upgraded, cancelled, resumed, ended, or about to become another. */
export interface SubscriptionChanged {
  subscriptionId: string;
  /** `BASIC` or `TEAM`. */
  tier: string;
  seatCount: number;
  /** `ACTIVE`, `PAST_DUE`, `CANCELING` or `ENDED`. */
  status: string;
  /** `MONTHLY` or `YEARLY`. */
  renewalCycle: string;
  currentPeriodEnd: Date | null;
  /** What it becomes at the end of the period; null when it stays. */
  pendingTier: string | null;
  pendingSeatCount: number | null;
  /** `started`, `upgraded`, `downgrade_scheduled`, `cancellation_scheduled`, `resumed` or `ended`. */
  change: string;
  /** What was paid for it with tax, in minor units of the currency. */
  totalMinor: string;
  currency: string;
}

/** `SubscriptionChanged`, to be written. */
export interface SubscriptionChangedInput {
  subscriptionId: string;
  tier: string;
  seatCount: number;
  status: string;
  renewalCycle: string;
  currentPeriodEnd?: Date | null | undefined;
  pendingTier?: string | null | undefined;
  pendingSeatCount?: number | null | undefined;
  change: string;
  totalMinor: string;
  currency: string;
}

/** subscription.renewed: paid for another cycle, by the schedule or early. */
export interface SubscriptionRenewed {
  subscriptionId: string;
  tier: string;
  seatCount: number;
  status: string;
  renewalCycle: string;
  currentPeriodEnd: Date | null;
  pendingTier: string | null;
  pendingSeatCount: number | null;
  totalMinor: string;
  currency: string;
}

/** `SubscriptionRenewed`, to be written. */
export interface SubscriptionRenewedInput {
  subscriptionId: string;
  tier: string;
  seatCount: number;
  status: string;
  renewalCycle: string;
  currentPeriodEnd?: Date | null | undefined;
  pendingTier?: string | null | undefined;
  pendingSeatCount?: number | null | undefined;
  totalMinor: string;
  currency: string;
}

/** subscription.payment_failed: a change or a renewal was not paid. */
export interface SubscriptionPaymentFailed {
  subscriptionId: string;
  /** As in subscription.changed, or `renewed`. */
  change: string;
  /** Why: `card_declined`, `insufficient_funds`, `authentication_required`, ... */
  code: string;
  totalMinor: string;
  currency: string;
  /** Until when everything keeps working, and when it is tried again. Null unless a renewal failed. */
  graceEndsAt: Date | null;
  nextAttemptAt: Date | null;
}

/** `SubscriptionPaymentFailed`, to be written. */
export interface SubscriptionPaymentFailedInput {
  subscriptionId: string;
  change: string;
  code: string;
  totalMinor: string;
  currency: string;
  graceEndsAt?: Date | null | undefined;
  nextAttemptAt?: Date | null | undefined;
}

/** payment_method.attached */
export interface PaymentMethodAttached {
  paymentMethodId: string;
  /** `card` and what else the processor knows. */
  kind: string;
  brand: string;
  lastFour: string;
}

/** `PaymentMethodAttached`, to be written. */
export interface PaymentMethodAttachedInput {
  paymentMethodId: string;
  kind: string;
  brand: string;
  lastFour: string;
}

/** payment_method.detached: here or at the processor. */
export interface PaymentMethodDetached {
  paymentMethodId: string;
}

/** `PaymentMethodDetached`, to be written. */
export interface PaymentMethodDetachedInput {
  paymentMethodId: string;
}

/** invoice.issued: something was paid. */
export interface InvoiceIssued {
  invoiceId: string;
  /** `2026-000001` */
  number: string;
  totalMinor: string;
  currency: string;
}

/** `InvoiceIssued`, to be written. */
export interface InvoiceIssuedInput {
  invoiceId: string;
  number: string;
  totalMinor: string;
  currency: string;
}

/** billing_details.changed: what stands on later invoices, and where they are taxed. */
export interface BillingDetailsChanged {
  /** `company_name`, `address_lines`, `vat_id` and `country`, of which at least one. */
  changedFields: string[];
}

/** `BillingDetailsChanged`, to be written. */
export interface BillingDetailsChangedInput {
  changedFields: readonly string[];
}

/**
 * Envelope describes how every event travels: CloudEvents 1.0 in structured JSON, on the NATS subject that equals
 * its type, with the event's id as `Nats-Msg-Id`. Field names are the JSON names; CloudEvents wants attribute names
 * of lower-case letters and digits only. Events arrive at least once, perhaps late, perhaps out of order.
 *
 * The payload of each type is a message of this package named after it: `platform.v1.identity.client_group.created`
 * carries a `ClientGroupCreated`, written in JSON with its field names as they stand in the .proto file. Payloads are
 * only added to; a change of meaning is a new type with a new version.
 */
export interface Envelope {
  /** Always `1.0`. */
  specversion: string;
  /** UUID version 7. The same in every delivery and every replay: what has been handled is known by it. */
  id: string;
  /** `/platform/<domain>` of the service that published it. */
  source: string;
  /** `platform.v1.<domain>.<entity>.<verb>`, the verb in the past tense. */
  type: string;
  /** The id of the thing it happened to. Events of one subject are published in the order of their changes. */
  subject: string;
  /** RFC 3339, UTC, milliseconds: when it happened. */
  time: string;
  /** Always `application/json`. */
  datacontenttype: string;
  /** The organisation it belongs to; consumers act for this organisation and no other. */
  organisationid: string;
  /** Who caused it: `user`, `api_key` or `service`. Absent together with `actorid` when nobody did. */
  actorkind: string | null;
  actorid: string | null;
  /** As it was at the time. */
  actorname: string | null;
  /** The request that led to it, as in `X-Request-Id`. */
  requestid: string | null;
  /** The user for whom the key has acted. Absent when `actorkind` is another. */
  onbehalfofid: string | null;
  onbehalfofname: string | null;
  /** The payload. */
  data: JsonObject | null;
}

/** `Envelope`, to be written. */
export interface EnvelopeInput {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: string;
  organisationid: string;
  actorkind?: string | null | undefined;
  actorid?: string | null | undefined;
  actorname?: string | null | undefined;
  requestid?: string | null | undefined;
  onbehalfofid?: string | null | undefined;
  onbehalfofname?: string | null | undefined;
  data?: JsonObjectInput | null | undefined;
}

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
  /** Null: the default group. */
  clientGroupId: string | null;
}

/** `ApiKeyCreated`, to be written. */
export interface ApiKeyCreatedInput {
  apiKeyId: string;
  userId: string;
  keyPrefix: string;
  scopes: readonly string[];
  expiresAt?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
}

/** api_key.updated: it may do less, end earlier or count for another client group than before. */
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
  /** The user for whom a key has acted; null for users and services. */
  onBehalfOfUserId: string | null;
  onBehalfOfUserName: string | null;
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
  onBehalfOfUserId?: string | null | undefined;
  onBehalfOfUserName?: string | null | undefined;
}
