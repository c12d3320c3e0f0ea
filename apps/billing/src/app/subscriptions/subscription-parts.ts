import type { Clock } from '@platform/core';
import type { PaymentProcessor } from '../../domain/payments/payment-processor.ts';
import type { GraceTerms } from '../../domain/subscriptions/renew-subscription.ts';
import type { SeatPrices } from '../../domain/subscriptions/seat-prices.ts';
import type { Subscriptions } from '../../domain/subscriptions/subscriptions.ts';
import type { RenewalCycle } from '../../domain/subscriptions/paid-period.ts';
import type { OrganisationDirectory } from './organisation-directory.ts';

/** What the use cases of subscriptions work with. */
export interface SubscriptionParts {
  readonly subscriptions: Subscriptions;
  readonly organisations: OrganisationDirectory;
  readonly payments: PaymentProcessor;
  readonly seatPrices: SeatPrices;
  readonly salesTax: SalesTax;
  readonly grace: GraceTerms;
  /** Of a first subscription, unless the buyer asks for another. */
  readonly usualCycle: RenewalCycle;
  /** How long whoever works on a change may be silent before others go on with it; longer than any step takes. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The tax that is due on a bill, where it is due. */
export interface SalesTax {
  /** ISO 3166-1. */
  countryOf(organisationId: string): Promise<string>;
  /** Minor units, rounded half up. */
  on(country: string, amountMinor: bigint): bigint;
}
