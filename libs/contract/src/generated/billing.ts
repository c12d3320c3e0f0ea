// Generated from protos/platform/billing/v1 by `npm run generate`. Do not edit.
import type { ClientCall, Handler } from '../messages.ts';
import type { Organisation, OrganisationInput, SubscriptionTier } from './identity.ts';

/** CreditService sells credits and keeps every organisation's balance. */
export interface CreditServiceHandlers<Context> {
  /** What a purchase of credits would cost, with tax. Nothing is reserved. */
  previewPrice: Handler<PreviewPriceRequest, PricePreviewInput, Context>;
}

/** CreditService sells credits and keeps every organisation's balance. */
export interface CreditServiceClient<Options = unknown> {
  /** What a purchase of credits would cost, with tax. Nothing is reserved. */
  previewPrice: ClientCall<PreviewPriceRequestInput, PricePreview, Options>;
}

/**
 * PaymentMethodService connects organisations with the payment processor. Card numbers
 * never pass through the platform.
 */
export interface PaymentMethodServiceHandlers<Context> {
  /** A secret with which the frontend registers a payment method at the processor. */
  createSetupIntent: Handler<CreateSetupIntentRequest, SetupIntentInput, Context>;
}

/**
 * PaymentMethodService connects organisations with the payment processor. Card numbers
 * never pass through the platform.
 */
export interface PaymentMethodServiceClient<Options = unknown> {
  /** A secret with which the frontend registers a payment method at the processor. */
  createSetupIntent: ClientCall<CreateSetupIntentRequestInput, SetupIntent, Options>;
}

/** SubscriptionService owns what an organisation has bought: tier, seats and renewal. */
export interface SubscriptionServiceHandlers<Context> {
  /**
   * Upgrades, downgrades or renews. The same tier renews by one cycle, BASIC to TEAM
   * counts at once, TEAM to BASIC at the end of the period; the answer shows the change.
   * CONFLICT: fewer seats than active members. PAYMENT_REQUIRED: the payment was refused.
   */
  changeSubscription: Handler<ChangeSubscriptionRequest, OrganisationInput, Context>;
}

/** SubscriptionService owns what an organisation has bought: tier, seats and renewal. */
export interface SubscriptionServiceClient<Options = unknown> {
  /**
   * Upgrades, downgrades or renews. The same tier renews by one cycle, BASIC to TEAM
   * counts at once, TEAM to BASIC at the end of the period; the answer shows the change.
   * CONFLICT: fewer seats than active members. PAYMENT_REQUIRED: the payment was refused.
   */
  changeSubscription: ClientCall<ChangeSubscriptionRequestInput, Organisation, Options>;
}

/**
 * All three in major units of the currency with at most two decimals; subtotal and tax
 * make total exactly, because they are computed in minor units.
 */
export interface PricePreview {
  subtotal: number;
  tax: number;
  total: number;
}

/** `PricePreview`, to be written. */
export interface PricePreviewInput {
  subtotal: number;
  tax: number;
  total: number;
}

export interface PreviewPriceRequest {
  /** Absent: the standard pack. */
  credits: number | null;
  /** ISO 4217; absent: the organisation's currency. */
  currency: string | null;
  /** ISO 3166-1, decides the tax; absent: the organisation's country. */
  country: string | null;
}

/** `PreviewPriceRequest`, to be written. */
export interface PreviewPriceRequestInput {
  credits?: number | null | undefined;
  currency?: string | null | undefined;
  country?: string | null | undefined;
}

export interface SetupIntent {
  clientSecret: string;
}

/** `SetupIntent`, to be written. */
export interface SetupIntentInput {
  clientSecret: string;
}

export type CreateSetupIntentRequest = Record<string, never>;

/** `CreateSetupIntentRequest`, to be written. */
export type CreateSetupIntentRequestInput = Record<string, never>;

export interface ChangeSubscriptionRequest {
  seatCount: number;
  subscriptionTier: SubscriptionTier | null;
}

/** `ChangeSubscriptionRequest`, to be written. */
export interface ChangeSubscriptionRequestInput {
  seatCount: number;
  subscriptionTier: SubscriptionTier;
}
