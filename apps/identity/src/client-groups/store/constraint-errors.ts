import { conflict, notFound } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';

/**
 * What a constraint means to a caller. Whether an e-mail is free in a client group only the constraint says: asking first
 * would take a lock on the group.
 */
export const clientGroupConstraintErrors: ConstraintErrors = {
  client_members_one_per_email: () =>
    conflict('client_member_exists', 'A client with this e-mail is in the group already'),
  // The organisation was deleted a moment ago, and its last requests are still on their way.
  client_groups_organisation_id_foreign: () => notFound('Organisation'),
  client_members_organisation_id_group_id_foreign: () => notFound('Client group'),
  client_workspaces_organisation_id_group_id_foreign: () => notFound('Client group'),
};
