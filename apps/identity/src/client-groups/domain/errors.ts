import { declareError } from '@platform-backend/core';

export const clientGroupNotFound = declareError('not_found', 'client_group_not_found', 'Client group not found');
export const clientGroupIsArchived = declareError('conflict', 'client_group_archived', 'The client group is archived');
export const defaultClientGroup = declareError(
  'conflict',
  'default_client_group',
  'The default client group cannot be archived',
);
export const policyNotFound = declareError('not_found', 'policy_not_found', 'Policy not found');
export const clientGroupFull = declareError(
  'conflict',
  'client_group_full',
  'A client group has at most {max} {parts}: remove one, or use another group',
);
export const clientGroupTooLarge = declareError(
  'conflict',
  'client_group_too_large',
  'The members, workspaces and access lists of a client group hold at most 1 MiB: shorten access lists, or use another group',
);
export const clientMemberExists = declareError(
  'conflict',
  'client_member_exists',
  'A client with this e-mail is in the group already',
);
export const clientMemberNotFound = declareError('not_found', 'client_member_not_found', 'Client member not found');
export const workspaceNotFound = declareError('not_found', 'workspace_not_found', 'Workspace not found');
