import type { ConstraintErrors } from '@platform-backend/postgres';
import { creditsChanged } from '../domain/errors.ts';

/** The domain refuses first, under a lock; this is the second line, should two requests ever get past it together. */
export const creditConstraintErrors: ConstraintErrors = {
  credit_accounts_never_overdrawn: creditsChanged,
};
