import { billingContract } from '@platform-backend/contract-billing';
import type { DebitCreated } from '@platform-backend/contract-billing/events';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import type { EventPattern } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService, type ServiceContext } from '@platform-backend/service';
import { creditSettings } from './credits/settings.ts';
import { invoiceSettings } from './invoices/settings.ts';
import { billingMailSettings } from './mails/settings.ts';
import { meterConstraintErrors } from './meters/store/constraint-errors.ts';
import { paymentSettings } from './payments/settings.ts';
import { priceSettings } from './prices/settings.ts';
import { purchaseSettings } from './purchases/settings.ts';
import { subscriptionSettings } from './subscriptions/settings.ts';
import { subscriptionConstraintErrors } from './subscriptions/store/constraint-errors.ts';

/** Of every service that there is or will be. */
const debitCreated: EventPattern<'platform.v1.*.debit.created', DebitCreated> = 'platform.v1.*.debit.created';

export const service = defineService({
  name: 'billing',
  contract: billingContract,
  port: 5002,
  settings: {
    ...priceSettings,
    ...invoiceSettings,
    ...billingMailSettings,
    ...creditSettings,
    ...paymentSettings,
    ...purchaseSettings,
    ...subscriptionSettings,
  },
  storage: postgres({
    migrations: new URL('../migrations/', import.meta.url),
    constraintErrors: { ...subscriptionConstraintErrors, ...meterConstraintErrors },
    connections: 20,
  }),
  calls: { identity: identityContract },
  events: {
    publishes: true,
    follows: [],
    reactions: {
      'billing-on-debit-created': debitCreated,
      'billing-on-client-group-changed': identityEvents('client_group.*'),
      'billing-on-organisation-deleted': identityEvents('organisation.deleted'),
    },
  },
  development: {
    defaults: ({ STRIPE_SECRET_KEY: key = '' }) => ({
      BILLING_PAYMENT_PROCESSOR: key.trim() === '' ? 'sandbox' : 'stripe',
      // Nobody has to buy anything to see an assistant answer.
      BILLING_WELCOME_CREDITS: '100',
    }),
    notice: ({ BILLING_PAYMENT_PROCESSOR: processor }) =>
      processor === 'sandbox' ? 'payments through the sandbox: no money moves' : 'payments through Stripe',
  },
});

/** What its areas are put together from. */
export type BillingContext = ServiceContext<typeof service.declaration>;
