import type { ReserveParts } from './credits/reserve-credits.ts';
import type { InvoiceParts } from './invoices/invoice-parts.ts';
import type { PaymentParts } from './payments/payment-parts.ts';
import type { PurchaseParts } from './purchases/purchase-parts.ts';
import type { SubscriptionParts } from './subscriptions/subscription-parts.ts';
import type { UsageParts } from './usage/usage-parts.ts';

/** Everything use cases work with. Time and chance are among it, so that tests decide what they are. */
export type BillingParts = ReserveParts & PurchaseParts & SubscriptionParts & PaymentParts & InvoiceParts & UsageParts;
