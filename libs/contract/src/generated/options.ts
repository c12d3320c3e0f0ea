// Generated from protos/platform/options/v1 by `npm run generate`. Do not edit.

/**
 * An answer of one thing has an entity tag (ETag), made of all its fields. A change with `If-Match` is made only while what
 * people change is as the tag has it.
 */
export type EntityTagPart =
  /** It changes by itself or with other things: `If-None-Match` is about it, `If-Match` is not. */
  | 'REPRESENTATION'
  /** Another field, such as a version, changes whenever it does: it is not looked at. */
  | 'COVERED';

/** Credentials a caller may present. */
export type CredentialKind =
  /** An access token of the identity provider, as `Authorization: Bearer`. */
  | 'TOKEN'
  /** A client API key, as `Authorization: Bearer`. */
  | 'API_KEY'
  /** A client API key in the `Api-key` header. */
  | 'API_KEY_HEADER'
  /** No credential at all. An operation with this kind still refuses a bad one. */
  | 'ANONYMOUS';

/** What a member may do, lowest first; each level includes those before it. */
export type PermissionLevel =
  | 'VIEWER'
  | 'EDITOR'
  | 'ADMIN'
  | 'OWNER';

/**
 * What the scopes of API keys name: scope `client_groups:write` opens the operations of area `client_groups` up to level
 * EDITOR. All areas stand here, as keys for every domain are made by one.
 */
export type Area =
  | 'organisation'
  | 'members'
  | 'client_groups'
  | 'api_keys'
  | 'audit_log'
  | 'billing'
  | 'subscription'
  | 'pipelines'
  | 'task_templates'
  | 'datasets'
  | 'assistants'
  | 'messages'
  | 'documents'
  | 'conventions'
  | 'reports'
  | 'transcription'
  | 'notebooks'
  /** Looks into documents, conventions and messages at once, whatever else the key opens. */
  | 'search';

/** What spent credits pay for; a client group's policy limits each by itself. */
export type CreditClass =
  /** Assistants, transcription, embeddings. */
  | 'AI'
  /** Pipeline runs and kernels. */
  | 'INFRASTRUCTURE';

/** The direction in which a list is answered. */
export type SortOrder =
  /** Oldest first. */
  | 'asc'
  /** Newest first. */
  | 'desc';

export type StringFormat =
  | 'UUID'
  | 'EMAIL'
  /**
   * A cron expression of five fields, `5#2` in the last for the second Friday of a month, or one of `@hourly`, `@daily`, `@weekly`,
   * `@monthly` and `@yearly`.
   */
  | 'CRON'
  /** An opaque signed page cursor. */
  | 'CURSOR'
  /** Any text that a browser does not take for a link with another scheme than `http` or `https`. */
  | 'WEB_LINK';

export type JsonKind =
  | 'NULL'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'NUMBER'
  | 'STRING'
  | 'OBJECT'
  | 'LIST';
