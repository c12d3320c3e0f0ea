import { conflict } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';

/** The domain refuses first, under a lock; this is the second line, should two requests ever get past it together. */
export const creditConstraintErrors: ConstraintErrors = {
  credit_accounts_never_overdrawn: () => conflict('credits_changed', 'The balance has just changed, try again'),
};
