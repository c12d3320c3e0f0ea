import { conflict } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';

/**
 * What a constraint means to a caller. The domain refuses first, under a lock, and these are the second line, should two
 * requests ever get past it together.
 */
export const memberConstraintErrors: ConstraintErrors = {
  members_one_per_user: () => conflict('already_a_member', 'This person is a member already'),
  members_one_invitation_per_email: () => conflict('already_invited', 'This person is invited already'),
};
