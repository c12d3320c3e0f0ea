import type { BillingParts } from './billing-parts.ts';

/** Everything the service can do, one use case per file. */
export const billingApp = (_parts: BillingParts) => ({});

export type BillingApp = ReturnType<typeof billingApp>;
