import type { ConstraintErrors } from '@platform-backend/postgres';
import { alreadyAMember, alreadyInvited } from '../domain/errors.ts';

/**
 * What a constraint means to a caller. The domain refuses first, under a lock, and these are the second line, should two
 * requests ever get past it together.
 */
export const memberConstraintErrors: ConstraintErrors = {
  members_one_per_user: alreadyAMember,
  members_one_invitation_per_email: alreadyInvited,
};
