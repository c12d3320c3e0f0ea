/** What a member may do, lowest first; each level includes those before it (D3). */
export const permissionLevels = ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'] as const;

export type PermissionLevel = (typeof permissionLevels)[number];

/** Whether a level includes what `wanted` may do. */
export const includesLevel = (level: PermissionLevel | null, wanted: PermissionLevel): boolean =>
  level !== null && permissionLevels.indexOf(level) >= permissionLevels.indexOf(wanted);
