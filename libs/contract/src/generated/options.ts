// Generated from protos/platform/options/v1 by `npm run generate`. Do not edit.

/** What a member may do, lowest first; each level includes those before it. */
export type PermissionLevel =
  | 'VIEWER'
  | 'EDITOR'
  | 'ADMIN'
  | 'OWNER';

/** The direction in which a list is answered. */
export type SortOrder =
  /** Oldest first. */
  | 'asc'
  /** Newest first. */
  | 'desc';
