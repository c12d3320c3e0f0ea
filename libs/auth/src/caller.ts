import type { PermissionLevel } from '@platform-backend/core';

export const CALLER_KINDS = ['user', 'api_key', 'service', 'anonymous'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** Who is calling, and for whom. Services learn it from a verified assertion only, never from a message. */
export interface Caller {
  readonly kind: CallerKind;
  /** The service that makes this call, on its own behalf or on behalf of the user or key. */
  readonly service: string;
  readonly organisationId?: string;
  readonly userId?: string;
  readonly userName?: string;
  readonly userEmail?: string;
  readonly emailVerified?: boolean;
  readonly apiKeyId?: string;
  /** The group whose limits hold for the caller, and whose usage the caller adds to. */
  readonly clientGroupId?: string;
  /** The user has several organisations and named none; then there is no `organisationId`. */
  readonly organisationRequired?: true;
  /** The user is a member of organisations, and suspended in all of them; then there is no `organisationId`. */
  readonly membershipSuspended?: true;
  /** The member's level now; for an API key its creator's. */
  readonly level?: PermissionLevel;
  /** What an API key may reach: `<area or *>:<read, write or admin>`. Empty for everybody else. */
  readonly scopes: readonly string[];
}

/** A caller as the service that knows people and keys describes it; empty text and null are what there is none of. */
export interface CallerDescription {
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly emailVerified: boolean;
  readonly organisationId: string;
  readonly organisationRequired: boolean;
  readonly membershipSuspended: boolean;
  readonly clientGroupId: string;
  readonly level: PermissionLevel | null;
}

/** What a description says of a caller, without what there is none of. */
export const callerFields = (described: CallerDescription): Partial<Caller> => ({
  userId: described.userId,
  ...(described.userName && { userName: described.userName }),
  ...(described.userEmail && { userEmail: described.userEmail }),
  emailVerified: described.emailVerified,
  ...(described.organisationId && { organisationId: described.organisationId }),
  ...(described.organisationRequired && { organisationRequired: true }),
  ...(described.membershipSuspended && { membershipSuspended: true }),
  ...(described.clientGroupId && { clientGroupId: described.clientGroupId }),
  ...(described.level && { level: described.level }),
});
