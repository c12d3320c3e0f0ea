import type { ConstraintErrors } from '@platform-backend/postgres';
import { subscriptionChangeRunning } from '../domain/errors.ts';

/** The domain refuses first, under a lock; these are the second line, should two requests ever get past it together. */
export const subscriptionConstraintErrors: ConstraintErrors = {
  subscription_changes_one_at_a_time: subscriptionChangeRunning,
  // The other one was done before this one was written down.
  subscription_changes_versions: subscriptionChangeRunning,
};
