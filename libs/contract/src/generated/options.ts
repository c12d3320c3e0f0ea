// Generated from protos/platform/options/v1 by `npm run generate`. Do not edit.

/** What a member may do, lowest first; each level includes those before it. */
export type PermissionLevel =
  | 'VIEWER'
  | 'EDITOR'
  | 'ADMIN'
  | 'OWNER';
