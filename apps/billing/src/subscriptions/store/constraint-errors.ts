import { conflict } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';

const changeRunning = () => conflict('subscription_change_running', 'Another change of the subscription is running');

/** The domain refuses first, under a lock; these are the second line, should two requests ever get past it together. */
export const subscriptionConstraintErrors: ConstraintErrors = {
  subscription_changes_one_at_a_time: changeRunning,
  // The other one was done before this one was written down.
  subscription_changes_versions: changeRunning,
};
