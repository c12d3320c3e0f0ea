import type { ConstraintErrors } from '@platform-backend/postgres';
import { organisationNotFound } from '../../members/domain/errors.ts';
import { clientGroupNotFound, clientMemberExists } from '../domain/errors.ts';

/**
 * What a constraint means to a caller. Whether an e-mail is free in a client group only the constraint says: asking first
 * would take a lock on the group.
 */
export const clientGroupConstraintErrors: ConstraintErrors = {
  client_members_one_per_email: clientMemberExists,
  // The organisation was deleted a moment ago, and its last requests are still on their way.
  client_groups_organisation_id_foreign: organisationNotFound,
  client_members_organisation_id_group_id_foreign: clientGroupNotFound,
  client_workspaces_organisation_id_group_id_foreign: clientGroupNotFound,
};
