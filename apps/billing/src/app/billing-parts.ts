import type { Clock } from '@platform/core';

/** Everything use cases work with. Time and chance are among it, so that tests decide what they are. */
export interface BillingParts {
  readonly clock: Clock;
  readonly newId: () => string;
}
