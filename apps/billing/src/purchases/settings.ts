import { integer } from '@platform-backend/core';

export const purchaseSettings = {
  BILLING_SCHEDULE_SECONDS: integer({
    default: 5,
    min: 1,
    max: 3600,
    description: 'how often renewals, and changes and purchases that were left behind, are looked for',
  }),
  BILLING_CHANGE_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'when a change or purchase counts as left behind',
  }),
};
