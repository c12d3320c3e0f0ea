// Generated from protos/platform/options/v1 by `npm run generate`. Do not edit.

/** What a member may do, lowest first; each level includes those before it. */
export type PermissionLevel =
  | 'VIEWER'
  | 'EDITOR'
  | 'ADMIN'
  | 'OWNER';

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
