/** What a member may do, lowest first; each level includes those before it (D3). */
export const PERMISSION_LEVELS = ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number];

/** Whether a level includes what `wanted` may do; without a level nothing is included. */
export const includesLevel = (level: PermissionLevel | null | undefined, wanted: PermissionLevel): boolean =>
  level !== null && level !== undefined && PERMISSION_LEVELS.indexOf(level) >= PERMISSION_LEVELS.indexOf(wanted);
