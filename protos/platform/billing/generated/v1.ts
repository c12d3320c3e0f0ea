// Generated from protos/platform/billing/v1 by `npm run generate`. Do not edit.
import type { Deleted, DeletedInput, Organisation, OrganisationInput, RenewalCycle, SubscriptionTier } from '@platform-backend/contract-identity';
import type { ClientCall, ClientStream, FieldMask, Handler, Int64Input, JsonValue, JsonValueInput, StreamHandler } from '@platform-backend/contract/messages';
import type { CreditClass } from '@platform-backend/contract/options';

/** What handles each of its services. */
export interface BillingHandlers<Context> {
  BalanceAlertService: BalanceAlertServiceHandlers<Context>;
  CouponService: CouponServiceHandlers<Context>;
  CreditService: CreditServiceHandlers<Context>;
  InvoiceService: InvoiceServiceHandlers<Context>;
  WebhookService: WebhookServiceHandlers<Context>;
  ExportService: ExportServiceHandlers<Context>;
  BillingMailService: BillingMailServiceHandlers<Context>;
  MeterService: MeterServiceHandlers<Context>;
  PaymentMethodService: PaymentMethodServiceHandlers<Context>;
  PriceService: PriceServiceHandlers<Context>;
  RefundService: RefundServiceHandlers<Context>;
  SubscriptionService: SubscriptionServiceHandlers<Context>;
  TestClockService: TestClockServiceHandlers<Context>;
  TopUpService: TopUpServiceHandlers<Context>;
  UsageService: UsageServiceHandlers<Context>;
}

/**
 * BalanceAlertService tells an organisation that its credits run low, before they are gone. The balance that counts is what is
 * available and what is set aside for running work together, so that an alert never goes off because work has begun.
 */
export interface BalanceAlertServiceHandlers<Context> {
  /** The highest threshold first. */
  listBalanceAlerts: Handler<ListBalanceAlertsRequest, ListBalanceAlertsResponseInput, Context>;
  /**
   * From now on `credits.balance_low` is published, and a mail sent, once each time the balance falls to the threshold
   * or below. Where it is there already, that is first when it has risen above it and falls again.
   */
  createBalanceAlert: Handler<CreateBalanceAlertRequest, BalanceAlertInput, Context>;
  /** Another threshold begins anew, as when it is created. */
  updateBalanceAlert: Handler<UpdateBalanceAlertRequest, BalanceAlertInput, Context>;
  /** Ends an alert; what it has told before stays told. */
  deleteBalanceAlert: Handler<DeleteBalanceAlertRequest, DeletedInput, Context>;
}

/**
 * BalanceAlertService tells an organisation that its credits run low, before they are gone. The balance that counts is what is
 * available and what is set aside for running work together, so that an alert never goes off because work has begun.
 */
export interface BalanceAlertServiceClient<Options = unknown> {
  /** The highest threshold first. */
  listBalanceAlerts: ClientCall<ListBalanceAlertsRequestInput, ListBalanceAlertsResponse, Options>;
  /**
   * From now on `credits.balance_low` is published, and a mail sent, once each time the balance falls to the threshold
   * or below. Where it is there already, that is first when it has risen above it and falls again.
   */
  createBalanceAlert: ClientCall<CreateBalanceAlertRequestInput, BalanceAlert, Options>;
  /** Another threshold begins anew, as when it is created. */
  updateBalanceAlert: ClientCall<UpdateBalanceAlertRequestInput, BalanceAlert, Options>;
  /** Ends an alert; what it has told before stays told. */
  deleteBalanceAlert: ClientCall<DeleteBalanceAlertRequestInput, Deleted, Options>;
}

/**
 * CouponService takes promotion codes, which the operators of the platform give away. What a code takes off counts for each cycle of the
 * subscription that begins while it lasts, in previews and on invoices, with a line of its own.
 */
export interface CouponServiceHandlers<Context> {
  /** Once per organisation and code, whether upper or lower case. */
  redeemPromotionCode: Handler<RedeemPromotionCodeRequest, CouponRedemptionInput, Context>;
  /** What the organisation has redeemed, newest first. */
  listCouponRedemptions: Handler<ListCouponRedemptionsRequest, ListCouponRedemptionsResponseInput, Context>;
}

/**
 * CouponService takes promotion codes, which the operators of the platform give away. What a code takes off counts for each cycle of the
 * subscription that begins while it lasts, in previews and on invoices, with a line of its own.
 */
export interface CouponServiceClient<Options = unknown> {
  /** Once per organisation and code, whether upper or lower case. */
  redeemPromotionCode: ClientCall<RedeemPromotionCodeRequestInput, CouponRedemption, Options>;
  /** What the organisation has redeemed, newest first. */
  listCouponRedemptions: ClientCall<ListCouponRedemptionsRequestInput, ListCouponRedemptionsResponse, Options>;
}

/**
 * CreditService sells credits and is the only writer of an organisation's balance. Amounts are
 * integers: 1 credit = 1,000,000 micros. The organisation is always the caller's.
 */
export interface CreditServiceHandlers<Context> {
  /** What a purchase of credits would cost, with tax. Nothing is reserved. */
  previewPrice: Handler<PreviewPriceRequest, PricePreviewInput, Context>;
  /** What a purchase of credits would come to, with a token that makes exactly that purchase. Nothing is reserved. */
  previewCreditPurchase: Handler<PreviewCreditPurchaseRequest, CreditPurchasePreviewInput, Context>;
  /** What the organisation can still spend, and what is set aside for work that is running. */
  getCreditBalance: Handler<GetCreditBalanceRequest, CreditBalanceInput, Context>;
  /** The ledger, newest first. Nothing in it is ever changed or removed. */
  listCreditTransactions: Handler<ListCreditTransactionsRequest, ListCreditTransactionsResponseInput, Context>;
  /** Credits received, newest first, with what is left of each. */
  listCreditGrants: Handler<ListCreditGrantsRequest, ListCreditGrantsResponseInput, Context>;
  /**
   * Pays for credits and adds them to the balance. The price is that of a preview with the same fields. With status
   * REQUIRES_ACTION the buyer confirms the payment at the processor, and the credits follow.
   */
  purchaseCredits: Handler<PurchaseCreditsRequest, CreditPurchaseInput, Context>;
  /** Purchases of credits, newest first, with what became of each. */
  listCreditPurchases: Handler<ListCreditPurchasesRequest, ListCreditPurchasesResponseInput, Context>;
  /** What became of a purchase. */
  getCreditPurchase: Handler<GetCreditPurchaseRequest, CreditPurchaseInput, Context>;
  /**
   * Gives the payment of a purchase up that is not paid, so that it cannot be paid later. Repeating it is safe; what
   * was paid in the meantime stays paid, and the answer says so, or PENDING while the bank decides.
   */
  cancelCreditPurchase: Handler<CancelCreditPurchaseRequest, CreditPurchaseInput, Context>;
  /**
   * Sets credits aside before work starts. Repeating a reservation_id with the same amount is safe
   * and answers the first reservation. Unless extended, it is released when it expires. It limits what work may come
   * to, and no more: what the work has cost is owed by its `debit.created`, whatever has become of the reservation.
   * PAYMENT_REQUIRED: too few credits, or with the open reservations it would pass a hard limit of the client
   * group. CONFLICT: the id was used for another amount or is finished.
   */
  reserveCredits: Handler<ReserveCreditsRequest, CreditReservationInput, Context>;
  /**
   * For replicas of releases before this one: no service of this release calls it. Debits are the way to pay
   * (`platform.events.v1.DebitCreated`): here what was not settled before the reservation expired was for nothing.
   * Takes what the work has really cost, at most what was reserved, and gives back the rest.
   * Repeating it with the same amount is safe. NOT_FOUND: unknown reservation.
   * CONFLICT: released already, settled with another amount, or more than was reserved.
   */
  settleCredits: Handler<SettleCreditsRequest, CreditReservationInput, Context>;
  /**
   * Gives back all that was reserved, such as for work that was not begun. Repeating it is safe.
   * NOT_FOUND: unknown reservation. CONFLICT: settled already.
   */
  releaseCredits: Handler<ReleaseCreditsRequest, CreditReservationInput, Context>;
  /**
   * The heartbeat of work that is still running: its reservations live for another lifetime, counted
   * from now. Those that are finished or unknown are left out of the answer.
   */
  extendReservations: Handler<ExtendReservationsRequest, ExtendReservationsResponseInput, Context>;
}

/**
 * CreditService sells credits and is the only writer of an organisation's balance. Amounts are
 * integers: 1 credit = 1,000,000 micros. The organisation is always the caller's.
 */
export interface CreditServiceClient<Options = unknown> {
  /** What a purchase of credits would cost, with tax. Nothing is reserved. */
  previewPrice: ClientCall<PreviewPriceRequestInput, PricePreview, Options>;
  /** What a purchase of credits would come to, with a token that makes exactly that purchase. Nothing is reserved. */
  previewCreditPurchase: ClientCall<PreviewCreditPurchaseRequestInput, CreditPurchasePreview, Options>;
  /** What the organisation can still spend, and what is set aside for work that is running. */
  getCreditBalance: ClientCall<GetCreditBalanceRequestInput, CreditBalance, Options>;
  /** The ledger, newest first. Nothing in it is ever changed or removed. */
  listCreditTransactions: ClientCall<ListCreditTransactionsRequestInput, ListCreditTransactionsResponse, Options>;
  /** Credits received, newest first, with what is left of each. */
  listCreditGrants: ClientCall<ListCreditGrantsRequestInput, ListCreditGrantsResponse, Options>;
  /**
   * Pays for credits and adds them to the balance. The price is that of a preview with the same fields. With status
   * REQUIRES_ACTION the buyer confirms the payment at the processor, and the credits follow.
   */
  purchaseCredits: ClientCall<PurchaseCreditsRequestInput, CreditPurchase, Options>;
  /** Purchases of credits, newest first, with what became of each. */
  listCreditPurchases: ClientCall<ListCreditPurchasesRequestInput, ListCreditPurchasesResponse, Options>;
  /** What became of a purchase. */
  getCreditPurchase: ClientCall<GetCreditPurchaseRequestInput, CreditPurchase, Options>;
  /**
   * Gives the payment of a purchase up that is not paid, so that it cannot be paid later. Repeating it is safe; what
   * was paid in the meantime stays paid, and the answer says so, or PENDING while the bank decides.
   */
  cancelCreditPurchase: ClientCall<CancelCreditPurchaseRequestInput, CreditPurchase, Options>;
  /**
   * Sets credits aside before work starts. Repeating a reservation_id with the same amount is safe
   * and answers the first reservation. Unless extended, it is released when it expires. It limits what work may come
   * to, and no more: what the work has cost is owed by its `debit.created`, whatever has become of the reservation.
   * PAYMENT_REQUIRED: too few credits, or with the open reservations it would pass a hard limit of the client
   * group. CONFLICT: the id was used for another amount or is finished.
   */
  reserveCredits: ClientCall<ReserveCreditsRequestInput, CreditReservation, Options>;
  /**
   * For replicas of releases before this one: no service of this release calls it. Debits are the way to pay
   * (`platform.events.v1.DebitCreated`): here what was not settled before the reservation expired was for nothing.
   * Takes what the work has really cost, at most what was reserved, and gives back the rest.
   * Repeating it with the same amount is safe. NOT_FOUND: unknown reservation.
   * CONFLICT: released already, settled with another amount, or more than was reserved.
   */
  settleCredits: ClientCall<SettleCreditsRequestInput, CreditReservation, Options>;
  /**
   * Gives back all that was reserved, such as for work that was not begun. Repeating it is safe.
   * NOT_FOUND: unknown reservation. CONFLICT: settled already.
   */
  releaseCredits: ClientCall<ReleaseCreditsRequestInput, CreditReservation, Options>;
  /**
   * The heartbeat of work that is still running: its reservations live for another lifetime, counted
   * from now. Those that are finished or unknown are left out of the answer.
   */
  extendReservations: ClientCall<ExtendReservationsRequestInput, ExtendReservationsResponse, Options>;
}

/**
 * InvoiceService keeps what an organisation was charged for, or is to pay. What an issued invoice says never changes; whether it
 * is paid does.
 */
export interface InvoiceServiceHandlers<Context> {
  /** Newest first. */
  listInvoices: Handler<ListInvoicesRequest, ListInvoicesResponseInput, Context>;
  /** One invoice with its lines, buyer, seller and tax. */
  getInvoice: Handler<GetInvoiceRequest, InvoiceInput, Context>;
  /**
   * Pays an invoice that is open, now, and waits for no schedule. Repeating it is safe: what is paid is not paid
   * again. Where the bank wants it confirmed the answer is ACCEPTED with the change, whose `client_secret` the payer
   * confirms it with; so it is while it is not known yet whether it is paid.
   */
  payInvoice: Handler<PayInvoiceRequest, InvoiceInput, Context>;
  /**
   * Nothing is to be paid any more for an invoice that is open: the subscription ends at once whose renewal it was, as
   * it does when a subscription that is past due is cancelled. A credit note takes the invoice back. Repeating it is
   * safe.
   */
  voidInvoice: Handler<VoidInvoiceRequest, InvoiceInput, Context>;
  /** The invoice as a document. */
  getInvoicePdf: Handler<GetInvoicePdfRequest, InvoicePdfInput, Context>;
  /** What the organisation wants on its invoices; all empty until it is set. */
  getBillingDetails: Handler<GetBillingDetailsRequest, BillingDetailsInput, Context>;
  /** Replaces the billing details, which stand on invoices issued from now on. Repeating it is safe. */
  setBillingDetails: Handler<SetBillingDetailsRequest, BillingDetailsInput, Context>;
}

/**
 * InvoiceService keeps what an organisation was charged for, or is to pay. What an issued invoice says never changes; whether it
 * is paid does.
 */
export interface InvoiceServiceClient<Options = unknown> {
  /** Newest first. */
  listInvoices: ClientCall<ListInvoicesRequestInput, ListInvoicesResponse, Options>;
  /** One invoice with its lines, buyer, seller and tax. */
  getInvoice: ClientCall<GetInvoiceRequestInput, Invoice, Options>;
  /**
   * Pays an invoice that is open, now, and waits for no schedule. Repeating it is safe: what is paid is not paid
   * again. Where the bank wants it confirmed the answer is ACCEPTED with the change, whose `client_secret` the payer
   * confirms it with; so it is while it is not known yet whether it is paid.
   */
  payInvoice: ClientCall<PayInvoiceRequestInput, Invoice, Options>;
  /**
   * Nothing is to be paid any more for an invoice that is open: the subscription ends at once whose renewal it was, as
   * it does when a subscription that is past due is cancelled. A credit note takes the invoice back. Repeating it is
   * safe.
   */
  voidInvoice: ClientCall<VoidInvoiceRequestInput, Invoice, Options>;
  /** The invoice as a document. */
  getInvoicePdf: ClientCall<GetInvoicePdfRequestInput, InvoicePdf, Options>;
  /** What the organisation wants on its invoices; all empty until it is set. */
  getBillingDetails: ClientCall<GetBillingDetailsRequestInput, BillingDetails, Options>;
  /** Replaces the billing details, which stand on invoices issued from now on. Repeating it is safe. */
  setBillingDetails: ClientCall<SetBillingDetailsRequestInput, BillingDetails, Options>;
}

/** WebhookService takes what payment processors report. The signature is the credential. */
export interface WebhookServiceHandlers<Context> {
  /** Repeated and reordered events have one effect. */
  receiveStripeWebhook: Handler<ReceiveStripeWebhookRequest, ReceiveStripeWebhookResponseInput, Context>;
}

/** WebhookService takes what payment processors report. The signature is the credential. */
export interface WebhookServiceClient<Options = unknown> {
  /** Repeated and reordered events have one effect. */
  receiveStripeWebhook: ClientCall<ReceiveStripeWebhookRequestInput, ReceiveStripeWebhookResponse, Options>;
}

/**
 * ExportService streams what billing keeps of an organisation as one file, for a spreadsheet or a program: CSV as in RFC 4180 with a
 * line of names, or JSON lines. Each shows everything as it was at one moment, oldest first, whatever happens while it is
 * read; its order is always the same. A file that cannot be finished is cut off together with its connection, so that no part of one passes
 * for the whole. RATE_LIMITED: two exports of the organisation are being read already. One takes ten minutes at most, and is cut when
 * nobody reads for half a minute.
 */
export interface ExportServiceHandlers<Context> {
  /** The ledger: every movement of credits, and of a debit for whom its work was done. */
  exportCreditTransactions: StreamHandler<ExportCreditTransactionsRequest, ExportFileInput, Context>;
  /** Requests and spent credits by UTC day, client group, API key and member. */
  exportUsage: StreamHandler<ExportUsageRequest, ExportFileInput, Context>;
  /** Invoices; their lines only as JSON. */
  exportInvoices: StreamHandler<ExportInvoicesRequest, ExportFileInput, Context>;
  /** Credit notes; their lines only as JSON. */
  exportCreditNotes: StreamHandler<ExportCreditNotesRequest, ExportFileInput, Context>;
  /** Every payment that was tried, for purchases, changes and renewals, and what became of it. */
  exportPayments: StreamHandler<ExportPaymentsRequest, ExportFileInput, Context>;
}

/**
 * ExportService streams what billing keeps of an organisation as one file, for a spreadsheet or a program: CSV as in RFC 4180 with a
 * line of names, or JSON lines. Each shows everything as it was at one moment, oldest first, whatever happens while it is
 * read; its order is always the same. A file that cannot be finished is cut off together with its connection, so that no part of one passes
 * for the whole. RATE_LIMITED: two exports of the organisation are being read already. One takes ten minutes at most, and is cut when
 * nobody reads for half a minute.
 */
export interface ExportServiceClient<Options = unknown> {
  /** The ledger: every movement of credits, and of a debit for whom its work was done. */
  exportCreditTransactions: ClientStream<ExportCreditTransactionsRequestInput, ExportFile, Options>;
  /** Requests and spent credits by UTC day, client group, API key and member. */
  exportUsage: ClientStream<ExportUsageRequestInput, ExportFile, Options>;
  /** Invoices; their lines only as JSON. */
  exportInvoices: ClientStream<ExportInvoicesRequestInput, ExportFile, Options>;
  /** Credit notes; their lines only as JSON. */
  exportCreditNotes: ClientStream<ExportCreditNotesRequestInput, ExportFile, Options>;
  /** Every payment that was tried, for purchases, changes and renewals, and what became of it. */
  exportPayments: ClientStream<ExportPaymentsRequestInput, ExportFile, Options>;
}

/**
 * BillingMailService says which mails an organisation gets about its billing, and what became of them. They go to the e-mail of the billing
 * details; where there is none, to the active administrators and owners.
 */
export interface BillingMailServiceHandlers<Context> {
  /** Mails of the last year, newest first, with what became of each. */
  listBillingMails: Handler<ListBillingMailsRequest, ListBillingMailsResponseInput, Context>;
  /** Which kinds of mail about billing are sent to the organisation. All are, until it says otherwise. */
  getBillingMailPreferences: Handler<GetBillingMailPreferencesRequest, BillingMailPreferencesInput, Context>;
  /** Replaces them as a whole. Mails that were not sent yet go by them as well. */
  setBillingMailPreferences: Handler<SetBillingMailPreferencesRequest, BillingMailPreferencesInput, Context>;
}

/**
 * BillingMailService says which mails an organisation gets about its billing, and what became of them. They go to the e-mail of the billing
 * details; where there is none, to the active administrators and owners.
 */
export interface BillingMailServiceClient<Options = unknown> {
  /** Mails of the last year, newest first, with what became of each. */
  listBillingMails: ClientCall<ListBillingMailsRequestInput, ListBillingMailsResponse, Options>;
  /** Which kinds of mail about billing are sent to the organisation. All are, until it says otherwise. */
  getBillingMailPreferences: ClientCall<GetBillingMailPreferencesRequestInput, BillingMailPreferences, Options>;
  /** Replaces them as a whole. Mails that were not sent yet go by them as well. */
  setBillingMailPreferences: ClientCall<SetBillingMailPreferencesRequestInput, BillingMailPreferences, Options>;
}

/**
 * MeterService measures what an organisation reports of its own: events come in as CloudEvents, meters say what of them is
 * counted, and queries tell it by period. Nothing of it costs credits. Events are kept for 35 days, by their source and id alone; what meters have
 * counted for 400 days. All of it is removed with the organisation.
 */
export interface MeterServiceHandlers<Context> {
  /** A meter counts events that are reported from now on. */
  createMeter: Handler<CreateMeterRequest, MeterInput, Context>;
  /** Newest first. */
  listMeters: Handler<ListMetersRequest, ListMetersResponseInput, Context>;
  /** One meter, whether it counts or is archived. */
  getMeter: Handler<GetMeterRequest, MeterInput, Context>;
  /** Changes what it is called. What it counts stays as it is: what was counted could not be counted again. */
  updateMeter: Handler<UpdateMeterRequest, MeterInput, Context>;
  /**
   * Has it count no more. What it has counted can still be asked for, and its slug is free again. Repeating it is
   * safe.
   */
  archiveMeter: Handler<ArchiveMeterRequest, MeterInput, Context>;
  /**
   * What a meter has counted, by window and group, newest window first. Windows and groups without events are left
   * out, and the first and the last window are of a part where the time asked for begins or ends within them.
   */
  queryMeter: Handler<QueryMeterRequest, QueryMeterResponseInput, Context>;
  /**
   * Takes one CloudEvent or a list of them, and counts each once by its source and id, however often it comes within
   * 35 days. Events may come late, by 30 days at most, and in any order. All of them are counted or none: INVALID
   * names each that cannot be, by its place in the list.
   */
  ingestUsageEvents: Handler<IngestUsageEventsRequest, IngestUsageEventsResponseInput, Context>;
}

/**
 * MeterService measures what an organisation reports of its own: events come in as CloudEvents, meters say what of them is
 * counted, and queries tell it by period. Nothing of it costs credits. Events are kept for 35 days, by their source and id alone; what meters have
 * counted for 400 days. All of it is removed with the organisation.
 */
export interface MeterServiceClient<Options = unknown> {
  /** A meter counts events that are reported from now on. */
  createMeter: ClientCall<CreateMeterRequestInput, Meter, Options>;
  /** Newest first. */
  listMeters: ClientCall<ListMetersRequestInput, ListMetersResponse, Options>;
  /** One meter, whether it counts or is archived. */
  getMeter: ClientCall<GetMeterRequestInput, Meter, Options>;
  /** Changes what it is called. What it counts stays as it is: what was counted could not be counted again. */
  updateMeter: ClientCall<UpdateMeterRequestInput, Meter, Options>;
  /**
   * Has it count no more. What it has counted can still be asked for, and its slug is free again. Repeating it is
   * safe.
   */
  archiveMeter: ClientCall<ArchiveMeterRequestInput, Meter, Options>;
  /**
   * What a meter has counted, by window and group, newest window first. Windows and groups without events are left
   * out, and the first and the last window are of a part where the time asked for begins or ends within them.
   */
  queryMeter: ClientCall<QueryMeterRequestInput, QueryMeterResponse, Options>;
  /**
   * Takes one CloudEvent or a list of them, and counts each once by its source and id, however often it comes within
   * 35 days. Events may come late, by 30 days at most, and in any order. All of them are counted or none: INVALID
   * names each that cannot be, by its place in the list.
   */
  ingestUsageEvents: ClientCall<IngestUsageEventsRequestInput, IngestUsageEventsResponse, Options>;
}

/**
 * PaymentMethodService connects organisations with the payment processor. Card numbers
 * never pass through the platform.
 */
export interface PaymentMethodServiceHandlers<Context> {
  /**
   * A secret with which the frontend registers a payment method at the processor. Of a caller without a credential,
   * where that is allowed, what is set up belongs to nobody and is never charged.
   */
  createSetupIntent: Handler<CreateSetupIntentRequest, SetupIntentInput, Context>;
  /**
   * Only where payments go through the sandbox: does what a processor's own form does in the browser of a payer. Sets
   * a card up with the secret of a set-up intent, or confirms a payment. Repeating it is safe.
   */
  confirmInSandbox: Handler<ConfirmInSandboxRequest, SandboxConfirmationInput, Context>;
  /** Attached payment methods, newest first. */
  listPaymentMethods: Handler<ListPaymentMethodsRequest, ListPaymentMethodsResponseInput, Context>;
  /** Makes a payment method the one that is charged unless another is named. Repeating it is safe. */
  setDefaultPaymentMethod: Handler<SetDefaultPaymentMethodRequest, PaymentMethodInput, Context>;
  /** Removes a payment method here and at the processor. */
  detachPaymentMethod: Handler<DetachPaymentMethodRequest, DeletedInput, Context>;
}

/**
 * PaymentMethodService connects organisations with the payment processor. Card numbers
 * never pass through the platform.
 */
export interface PaymentMethodServiceClient<Options = unknown> {
  /**
   * A secret with which the frontend registers a payment method at the processor. Of a caller without a credential,
   * where that is allowed, what is set up belongs to nobody and is never charged.
   */
  createSetupIntent: ClientCall<CreateSetupIntentRequestInput, SetupIntent, Options>;
  /**
   * Only where payments go through the sandbox: does what a processor's own form does in the browser of a payer. Sets
   * a card up with the secret of a set-up intent, or confirms a payment. Repeating it is safe.
   */
  confirmInSandbox: ClientCall<ConfirmInSandboxRequestInput, SandboxConfirmation, Options>;
  /** Attached payment methods, newest first. */
  listPaymentMethods: ClientCall<ListPaymentMethodsRequestInput, ListPaymentMethodsResponse, Options>;
  /** Makes a payment method the one that is charged unless another is named. Repeating it is safe. */
  setDefaultPaymentMethod: ClientCall<SetDefaultPaymentMethodRequestInput, PaymentMethod, Options>;
  /** Removes a payment method here and at the processor. */
  detachPaymentMethod: ClientCall<DetachPaymentMethodRequestInput, Deleted, Options>;
}

/** PriceService says what can be bought and what it costs, before tax. */
export interface PriceServiceHandlers<Context> {
  /** Every price that is sold at now: seats by tier and cycle, and credits by currency. */
  listPrices: Handler<ListPricesRequest, ListPricesResponseInput, Context>;
}

/** PriceService says what can be bought and what it costs, before tax. */
export interface PriceServiceClient<Options = unknown> {
  /** Every price that is sold at now: seats by tier and cycle, and credits by currency. */
  listPrices: ClientCall<ListPricesRequestInput, ListPricesResponse, Options>;
}

/**
 * RefundService gives back money that was paid and not used, and shows what else has become of it. Amounts are integers in the
 * minor units of the currency, with tax where nothing else is said.
 */
export interface RefundServiceHandlers<Context> {
  /**
   * Gives back what was paid with an invoice, as a whole or in part, to where it came from. Of bought credits that are
   * those that are not spent, which are taken back at once; of a subscription what changes have left over (`credit` of
   * GET /subscription/), which stays as balance unless it is asked for here. With its success there is a credit note.
   */
  createRefund: Handler<CreateRefundRequest, RefundInput, Context>;
  /** Newest first. */
  listRefunds: Handler<ListRefundsRequest, ListRefundsResponseInput, Context>;
  /** What became of a refund. */
  getRefund: Handler<GetRefundRequest, RefundInput, Context>;
  /** Newest first. */
  listCreditNotes: Handler<ListCreditNotesRequest, ListCreditNotesResponseInput, Context>;
  /** One credit note with its lines. */
  getCreditNote: Handler<GetCreditNoteRequest, CreditNoteInput, Context>;
  /** The credit note as a document. */
  getCreditNotePdf: Handler<GetCreditNotePdfRequest, CreditNotePdfInput, Context>;
  /** Payments that somebody has disputed at their bank, newest first. */
  listDisputes: Handler<ListDisputesRequest, ListDisputesResponseInput, Context>;
}

/**
 * RefundService gives back money that was paid and not used, and shows what else has become of it. Amounts are integers in the
 * minor units of the currency, with tax where nothing else is said.
 */
export interface RefundServiceClient<Options = unknown> {
  /**
   * Gives back what was paid with an invoice, as a whole or in part, to where it came from. Of bought credits that are
   * those that are not spent, which are taken back at once; of a subscription what changes have left over (`credit` of
   * GET /subscription/), which stays as balance unless it is asked for here. With its success there is a credit note.
   */
  createRefund: ClientCall<CreateRefundRequestInput, Refund, Options>;
  /** Newest first. */
  listRefunds: ClientCall<ListRefundsRequestInput, ListRefundsResponse, Options>;
  /** What became of a refund. */
  getRefund: ClientCall<GetRefundRequestInput, Refund, Options>;
  /** Newest first. */
  listCreditNotes: ClientCall<ListCreditNotesRequestInput, ListCreditNotesResponse, Options>;
  /** One credit note with its lines. */
  getCreditNote: ClientCall<GetCreditNoteRequestInput, CreditNote, Options>;
  /** The credit note as a document. */
  getCreditNotePdf: ClientCall<GetCreditNotePdfRequestInput, CreditNotePdf, Options>;
  /** Payments that somebody has disputed at their bank, newest first. */
  listDisputes: ClientCall<ListDisputesRequestInput, ListDisputesResponse, Options>;
}

/** SubscriptionService owns what an organisation has bought: tier, seats and renewal. */
export interface SubscriptionServiceHandlers<Context> {
  /**
   * Upgrades, downgrades or renews. More seats and BASIC to TEAM count at once, cost the rest of the period at the
   * prices agreed for it, and the answer shows it. Fewer seats and TEAM to BASIC wait for the end of the period, until
   * then GET /subscription/ shows them as pending; cancelling drops them. What is so already is not paid for again: a
   * subscription that runs is renewed early with `renew` alone. One that has ended or was not paid begins anew, and a
   * cancellation is taken back.
   * With `trial` an organisation that has never bought anything begins with a trial, once: nothing is paid until
   * `trial_ends_at`, when the subscription renews as any other, and any change within it counts at once and costs
   * nothing. `renew` ends it early and pays for the first cycle.
   */
  changeSubscription: Handler<ChangeSubscriptionRequest, OrganisationInput, Context>;
  /** What a change would come to, with tax. Nothing is changed, and active members are not counted. */
  previewSubscription: Handler<PreviewSubscriptionRequest, SubscriptionPreviewInput, Context>;
  /**
   * What the organisation has bought, with what will change at the end of the period. Of one that has never bought
   * anything the status is FREE.
   */
  getSubscription: Handler<GetSubscriptionRequest, SubscriptionInput, Context>;
  /** What has become of a change. */
  getSubscriptionChange: Handler<GetSubscriptionChangeRequest, SubscriptionChangeInput, Context>;
  /** What cancelling would come to. */
  previewCancellation: Handler<PreviewCancellationRequest, SubscriptionPreviewInput, Context>;
  /** What resuming would come to. */
  previewResumption: Handler<PreviewResumptionRequest, SubscriptionPreviewInput, Context>;
  /**
   * Gives a change up whose payment is waited for, so that it cannot be paid later. Repeating it is safe; what was
   * paid in the meantime comes about, and the answer says so, or PENDING while the bank decides.
   */
  cancelSubscriptionChange: Handler<CancelSubscriptionChangeRequest, SubscriptionChangeInput, Context>;
  /** Ends the subscription when the paid period does. Repeating it is safe. */
  cancelSubscription: Handler<CancelSubscriptionRequest, SubscriptionInput, Context>;
  /** Takes a cancellation back before the period ends. Repeating it is safe. */
  resumeSubscription: Handler<ResumeSubscriptionRequest, SubscriptionInput, Context>;
}

/** SubscriptionService owns what an organisation has bought: tier, seats and renewal. */
export interface SubscriptionServiceClient<Options = unknown> {
  /**
   * Upgrades, downgrades or renews. More seats and BASIC to TEAM count at once, cost the rest of the period at the
   * prices agreed for it, and the answer shows it. Fewer seats and TEAM to BASIC wait for the end of the period, until
   * then GET /subscription/ shows them as pending; cancelling drops them. What is so already is not paid for again: a
   * subscription that runs is renewed early with `renew` alone. One that has ended or was not paid begins anew, and a
   * cancellation is taken back.
   * With `trial` an organisation that has never bought anything begins with a trial, once: nothing is paid until
   * `trial_ends_at`, when the subscription renews as any other, and any change within it counts at once and costs
   * nothing. `renew` ends it early and pays for the first cycle.
   */
  changeSubscription: ClientCall<ChangeSubscriptionRequestInput, Organisation, Options>;
  /** What a change would come to, with tax. Nothing is changed, and active members are not counted. */
  previewSubscription: ClientCall<PreviewSubscriptionRequestInput, SubscriptionPreview, Options>;
  /**
   * What the organisation has bought, with what will change at the end of the period. Of one that has never bought
   * anything the status is FREE.
   */
  getSubscription: ClientCall<GetSubscriptionRequestInput, Subscription, Options>;
  /** What has become of a change. */
  getSubscriptionChange: ClientCall<GetSubscriptionChangeRequestInput, SubscriptionChange, Options>;
  /** What cancelling would come to. */
  previewCancellation: ClientCall<PreviewCancellationRequestInput, SubscriptionPreview, Options>;
  /** What resuming would come to. */
  previewResumption: ClientCall<PreviewResumptionRequestInput, SubscriptionPreview, Options>;
  /**
   * Gives a change up whose payment is waited for, so that it cannot be paid later. Repeating it is safe; what was
   * paid in the meantime comes about, and the answer says so, or PENDING while the bank decides.
   */
  cancelSubscriptionChange: ClientCall<CancelSubscriptionChangeRequestInput, SubscriptionChange, Options>;
  /** Ends the subscription when the paid period does. Repeating it is safe. */
  cancelSubscription: ClientCall<CancelSubscriptionRequestInput, Subscription, Options>;
  /** Takes a cancellation back before the period ends. Repeating it is safe. */
  resumeSubscription: ClientCall<ResumeSubscriptionRequestInput, Subscription, Options>;
}

/**
 * TestClockService lets an organisation try what time brings about: renewals, ends of periods, credits that expire. Only where
 * payments go through the sandbox; with a live payment processor all of it is NOT_FOUND.
 */
export interface TestClockServiceHandlers<Context> {
  /**
   * From now on billing goes by a clock of the organisation's own, which runs from the present time and can be moved
   * forward. An organisation has one at most.
   */
  createTestClock: Handler<CreateTestClockRequest, TestClockInput, Context>;
  /** The organisation's test clock, with what time it is by it. */
  getTestClock: Handler<GetTestClockRequest, TestClockInput, Context>;
  /**
   * Moves the clock forward. What is due until then happens one after the other, each at its time; the status is
   * ADVANCING meanwhile, and READY when all has.
   */
  advanceTestClock: Handler<AdvanceTestClockRequest, TestClockInput, Context>;
  /** Ends it: billing goes by the real time again. What was bought stays as it is, with the dates that it has. */
  deleteTestClock: Handler<DeleteTestClockRequest, DeletedTestClockInput, Context>;
}

/**
 * TestClockService lets an organisation try what time brings about: renewals, ends of periods, credits that expire. Only where
 * payments go through the sandbox; with a live payment processor all of it is NOT_FOUND.
 */
export interface TestClockServiceClient<Options = unknown> {
  /**
   * From now on billing goes by a clock of the organisation's own, which runs from the present time and can be moved
   * forward. An organisation has one at most.
   */
  createTestClock: ClientCall<CreateTestClockRequestInput, TestClock, Options>;
  /** The organisation's test clock, with what time it is by it. */
  getTestClock: ClientCall<GetTestClockRequestInput, TestClock, Options>;
  /**
   * Moves the clock forward. What is due until then happens one after the other, each at its time; the status is
   * ADVANCING meanwhile, and READY when all has.
   */
  advanceTestClock: ClientCall<AdvanceTestClockRequestInput, TestClock, Options>;
  /** Ends it: billing goes by the real time again. What was bought stays as it is, with the dates that it has. */
  deleteTestClock: ClientCall<DeleteTestClockRequestInput, DeletedTestClock, Options>;
}

/**
 * TopUpService buys credits by itself before they run out, with the default payment method, where an organisation wants it. What it
 * buys are purchases as any other, with `origin` AUTOMATIC_TOP_UP.
 */
export interface TopUpServiceHandlers<Context> {
  /**
   * As it is set, what has been spent this month, and why it has stopped, if it has. Of an organisation that never
   * asked for it the state is OFF.
   */
  getAutomaticTopUp: Handler<GetAutomaticTopUpRequest, AutomaticTopUpInput, Context>;
  /**
   * Turns it on, changes it, or has it begin again after it has stopped. Where the balance is low already it buys at
   * once. The same once more changes nothing.
   */
  setAutomaticTopUp: Handler<SetAutomaticTopUpRequest, AutomaticTopUpInput, Context>;
  /** Turns it off. What it has begun to pay goes on. Repeating it is safe. */
  disableAutomaticTopUp: Handler<DisableAutomaticTopUpRequest, AutomaticTopUpInput, Context>;
}

/**
 * TopUpService buys credits by itself before they run out, with the default payment method, where an organisation wants it. What it
 * buys are purchases as any other, with `origin` AUTOMATIC_TOP_UP.
 */
export interface TopUpServiceClient<Options = unknown> {
  /**
   * As it is set, what has been spent this month, and why it has stopped, if it has. Of an organisation that never
   * asked for it the state is OFF.
   */
  getAutomaticTopUp: ClientCall<GetAutomaticTopUpRequestInput, AutomaticTopUp, Options>;
  /**
   * Turns it on, changes it, or has it begin again after it has stopped. Where the balance is low already it buys at
   * once. The same once more changes nothing.
   */
  setAutomaticTopUp: ClientCall<SetAutomaticTopUpRequestInput, AutomaticTopUp, Options>;
  /** Turns it off. What it has begun to pay goes on. Repeating it is safe. */
  disableAutomaticTopUp: ClientCall<DisableAutomaticTopUpRequestInput, AutomaticTopUp, Options>;
}

/**
 * UsageService counts requests and spent credits by organisation, client group, API key, member and day, and holds
 * them against the policies of client groups.
 */
export interface UsageServiceHandlers<Context> {
  /**
   * Usage in whole UTC days or hours, newest first, or what a group, key or member has used in these days. A day or an
   * hour in which nothing was used is left out.
   */
  getUsage: Handler<GetUsageRequest, GetUsageResponseInput, Context>;
  /**
   * Hands out requests in batches, so that a hard limit is exact without a call for every request. What is leased
   * counts as used until it is given back; of a caller that dies it stays so, and no limit is ever passed.
   * Repeating a lease_id is safe and answers the same lease.
   */
  leaseQuota: Handler<LeaseQuotaRequest, QuotaLeaseInput, Context>;
  /** Counts what services did for a client group or key. Each record is counted once, however often it is sent. */
  recordUsage: Handler<RecordUsageRequest, RecordUsageResponseInput, Context>;
}

/**
 * UsageService counts requests and spent credits by organisation, client group, API key, member and day, and holds
 * them against the policies of client groups.
 */
export interface UsageServiceClient<Options = unknown> {
  /**
   * Usage in whole UTC days or hours, newest first, or what a group, key or member has used in these days. A day or an
   * hour in which nothing was used is left out.
   */
  getUsage: ClientCall<GetUsageRequestInput, GetUsageResponse, Options>;
  /**
   * Hands out requests in batches, so that a hard limit is exact without a call for every request. What is leased
   * counts as used until it is given back; of a caller that dies it stays so, and no limit is ever passed.
   * Repeating a lease_id is safe and answers the same lease.
   */
  leaseQuota: ClientCall<LeaseQuotaRequestInput, QuotaLease, Options>;
  /** Counts what services did for a client group or key. Each record is counted once, however often it is sent. */
  recordUsage: ClientCall<RecordUsageRequestInput, RecordUsageResponse, Options>;
}

export type BalanceAlertState =
  /** The balance is above the threshold: the alert goes off when it falls to it. */
  | 'ARMED'
  /** The balance is at the threshold or below: the alert is armed again when it has risen above it. */
  | 'LOW';

export interface BalanceAlert {
  id: string;
  createdAt: Date | null;
  /** 1 credit = 1,000,000 micros. */
  thresholdMicros: string;
  state: BalanceAlertState | null;
  /** When it went off last; null: never yet. */
  lastCrossedAt: Date | null;
}

/** `BalanceAlert`, to be written. */
export interface BalanceAlertInput {
  id: string;
  createdAt?: Date | null | undefined;
  thresholdMicros: Int64Input;
  state: BalanceAlertState | null;
  lastCrossedAt?: Date | null | undefined;
}

export interface ListBalanceAlertsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListBalanceAlertsRequest`, to be written. */
export interface ListBalanceAlertsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListBalanceAlertsResponse {
  /** The highest threshold first. */
  alerts: BalanceAlert[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListBalanceAlertsResponse`, to be written. */
export interface ListBalanceAlertsResponseInput {
  alerts: readonly BalanceAlertInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface CreateBalanceAlertRequest {
  /** 0: when nothing is left. */
  thresholdMicros: string;
}

/** `CreateBalanceAlertRequest`, to be written. */
export interface CreateBalanceAlertRequestInput {
  thresholdMicros: Int64Input;
}

export interface UpdateBalanceAlertRequest {
  alertId: string;
  /** 1 credit = 1,000,000 micros. */
  thresholdMicros: string;
}

/** `UpdateBalanceAlertRequest`, to be written. */
export interface UpdateBalanceAlertRequestInput {
  alertId: string;
  thresholdMicros: Int64Input;
}

export interface DeleteBalanceAlertRequest {
  alertId: string;
}

/** `DeleteBalanceAlertRequest`, to be written. */
export interface DeleteBalanceAlertRequestInput {
  alertId: string;
}

export type CouponDuration =
  /** For the next cycle alone. */
  | 'ONCE'
  /** For each cycle that begins within `duration_months`. */
  | 'REPEATING'
  | 'FOREVER';

export type CouponRedemptionState =
  /** The next cycle costs less. */
  | 'ACTIVE'
  /** It was for one cycle, which is bought. */
  | 'USED'
  /** Its time is over. */
  | 'ENDED';

export interface CouponRedemption {
  id: string;
  /** The promotion code that was redeemed. */
  code: string;
  /** Percent of the price before tax; null: `amount_off_minor` is taken off. */
  percentOff: number | null;
  /** In minor units of the currency, at most the whole price. */
  amountOffMinor: string | null;
  /** ISO 4217, of `amount_off_minor`; empty with `percent_off`. */
  currency: string | null;
  /** For how many cycles of the subscription it holds. */
  duration: CouponDuration | null;
  /** It holds for each cycle that begins within so many months; null unless it is REPEATING. */
  durationMonths: number | null;
  /** Whether it still takes something off. */
  state: CouponRedemptionState | null;
  /** When the code was given. */
  redeemedAt: Date | null;
  /** From then on a cycle costs its full price; null unless it is REPEATING. */
  endsAt: Date | null;
}

/** `CouponRedemption`, to be written. */
export interface CouponRedemptionInput {
  id: string;
  code: string;
  percentOff?: number | null | undefined;
  amountOffMinor?: Int64Input | null | undefined;
  currency?: string | null | undefined;
  duration: CouponDuration | null;
  durationMonths?: number | null | undefined;
  state: CouponRedemptionState | null;
  redeemedAt?: Date | null | undefined;
  endsAt?: Date | null | undefined;
}

export interface RedeemPromotionCodeRequest {
  /** As it was published; in capitals or not. */
  code: string;
}

/** `RedeemPromotionCodeRequest`, to be written. */
export interface RedeemPromotionCodeRequestInput {
  code: string;
}

export interface ListCouponRedemptionsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCouponRedemptionsRequest`, to be written. */
export interface ListCouponRedemptionsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCouponRedemptionsResponse {
  /** Newest first. */
  redemptions: CouponRedemption[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCouponRedemptionsResponse`, to be written. */
export interface ListCouponRedemptionsResponseInput {
  redemptions: readonly CouponRedemptionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

/** What moved credits. */
export type CreditTransactionKind =
  /** Credits were given: a welcome, a plan, a correction. */
  | 'GRANT'
  /** Credits were bought. */
  | 'PURCHASE'
  /** Available credits were set aside. */
  | 'RESERVE'
  /** Reserved credits were spent; the rest is available again. */
  | 'SETTLE'
  /** Reserved credits are available again. */
  | 'RELEASE'
  /** What was left of a grant at its end. */
  | 'EXPIRE'
  /** Credits were spent: what was still reserved for it is not any more, and the rest of that is available again. */
  | 'DEBIT'
  /** Bought credits were taken back: their money was given back, or the bank took it. */
  | 'REFUND'
  /** Credits were taken away as a correction by hand. */
  | 'ADJUST';

export type CreditGrantKind =
  /** Once for every organisation. */
  | 'WELCOME'
  /** Part of a subscription. */
  | 'PLAN'
  | 'PURCHASE'
  /** A correction by hand. */
  | 'ADJUSTMENT'
  /** A present of the platform, as a rule for some time. */
  | 'PROMOTIONAL';

export type CreditPurchaseStatus =
  /** Not known yet; it will become one of the others. */
  | 'PENDING'
  | 'SUCCEEDED'
  /** The buyer has to confirm the payment at the processor. */
  | 'REQUIRES_ACTION'
  | 'DECLINED';

/** Who wanted a purchase. */
export type CreditPurchaseOrigin =
  | 'MEMBER'
  /** Automatic top-up, since the balance was low. */
  | 'AUTOMATIC_TOP_UP';

export type ReservationStatus =
  | 'OPEN'
  | 'SETTLED'
  | 'RELEASED';

/**
 * All three in major units of the currency with at most two decimals; subtotal and tax
 * make total exactly, because they are computed in minor units.
 */
export interface PricePreview {
  /** Before tax. */
  subtotal: number;
  /** At the rate of the country. */
  tax: number;
  /** With tax: what would be charged. */
  total: number;
}

/** `PricePreview`, to be written. */
export interface PricePreviewInput {
  subtotal: number;
  tax: number;
  total: number;
}

/** As a purchase would have it. */
export interface CreditPurchasePreview {
  /** Whole credits. */
  credits: number;
  /** ISO 4217. */
  currency: string;
  /** ISO 3166-1: where the tax is due. */
  country: string;
  /** In minor units of the currency. */
  subtotalMinor: string;
  taxMinor: string;
  totalMinor: string;
  /** Percent. */
  taxRate: number;
  /** How the sale would be taxed. */
  taxTreatment: TaxTreatment | null;
  /** What the law wants to be said about the tax; empty: nothing. */
  taxNote: string;
  /** When the credits would expire. */
  creditsExpireAt: Date | null;
  /**
   * With it a purchase comes to exactly this, until it expires; a change of anything it rests on makes it CONFLICT
   * (`preview_outdated`).
   */
  token: string;
  tokenExpiresAt: Date | null;
}

/** `CreditPurchasePreview`, to be written. */
export interface CreditPurchasePreviewInput {
  credits: number;
  currency: string;
  country: string;
  subtotalMinor: Int64Input;
  taxMinor: Int64Input;
  totalMinor: Int64Input;
  taxRate: number;
  taxTreatment: TaxTreatment | null;
  taxNote: string;
  creditsExpireAt?: Date | null | undefined;
  token: string;
  tokenExpiresAt?: Date | null | undefined;
}

export interface CreditBalance {
  /** What can be spent or reserved now. Negative: so much was spent that no reservation held, as it had expired before. */
  availableMicros: string;
  /** Set aside for work that is running. */
  reservedMicros: string;
  /** What will be lost at `next_expires_at` unless it is spent before. */
  expiringMicros: string;
  /** Null when nothing expires. */
  nextExpiresAt: Date | null;
}

/** `CreditBalance`, to be written. */
export interface CreditBalanceInput {
  availableMicros: Int64Input;
  reservedMicros: Int64Input;
  expiringMicros: Int64Input;
  nextExpiresAt?: Date | null | undefined;
}

export interface CreditTransaction {
  id: string;
  createdAt: Date | null;
  /** What has moved the credits. */
  kind: CreditTransactionKind | null;
  /** By how much it changed what is available and what is reserved; negative is less. */
  availableChangeMicros: string;
  /** By how much it changed what is set aside. */
  reservedChangeMicros: string;
  /** What was available after it. */
  availableAfterMicros: string;
  /** What it was for, as the service said that reserved the credits; a purchase or a grant names itself. */
  purpose: string;
  /** Of a debit: the reservation that was open for it. */
  reservationId: string | null;
  /** Of GRANT, PURCHASE and EXPIRE: the grant. Null otherwise. */
  grantId: string | null;
  /** The client group whose policy and usage it counts against; null: none. */
  clientGroupId: string | null;
  /** The debit that it books, and the work: a message, a kernel, a run. */
  debitId: string | null;
  /** What was done: a message, a kernel, a run; null: nothing is named. */
  workId: string | null;
}

/** `CreditTransaction`, to be written. */
export interface CreditTransactionInput {
  id: string;
  createdAt?: Date | null | undefined;
  kind: CreditTransactionKind | null;
  availableChangeMicros: Int64Input;
  reservedChangeMicros: Int64Input;
  availableAfterMicros: Int64Input;
  purpose: string;
  reservationId?: string | null | undefined;
  grantId?: string | null | undefined;
  clientGroupId?: string | null | undefined;
  debitId?: string | null | undefined;
  workId?: string | null | undefined;
}

export interface CreditGrant {
  id: string;
  createdAt: Date | null;
  /** How the credits came in. */
  kind: CreditGrantKind | null;
  /** What it began with: 1 credit = 1,000,000 micros. */
  amountMicros: string;
  /** What of it is neither spent nor expired. */
  remainingMicros: string;
  /** Lower is spent first; among equals the one that expires first. */
  priority: number;
  /** Null: never. */
  expiresAt: Date | null;
}

/** `CreditGrant`, to be written. */
export interface CreditGrantInput {
  id: string;
  createdAt?: Date | null | undefined;
  kind: CreditGrantKind | null;
  amountMicros: Int64Input;
  remainingMicros: Int64Input;
  priority: number;
  expiresAt?: Date | null | undefined;
}

export interface CreditPurchase {
  id: string;
  createdAt: Date | null;
  /** How far it is; REQUIRES_ACTION waits for the buyer. */
  status: CreditPurchaseStatus | null;
  /** Whole credits. */
  credits: number;
  /** Use those in minor units. */
  subtotal: number;
  tax: number;
  total: number;
  /** ISO 4217. */
  currency: string;
  /** ISO 3166-1. */
  country: string;
  /** With which the frontend lets the buyer confirm; null unless the status is REQUIRES_ACTION. */
  clientSecret: string | null;
  /** In minor units of the currency. */
  subtotalMinor: string;
  taxMinor: string;
  totalMinor: string;
  /** Who wanted it. */
  origin: CreditPurchaseOrigin | null;
}

/** `CreditPurchase`, to be written. */
export interface CreditPurchaseInput {
  id: string;
  createdAt?: Date | null | undefined;
  status: CreditPurchaseStatus | null;
  credits: number;
  subtotal: number;
  tax: number;
  total: number;
  currency: string;
  country: string;
  clientSecret?: string | null | undefined;
  subtotalMinor: Int64Input;
  taxMinor: Int64Input;
  totalMinor: Int64Input;
  origin: CreditPurchaseOrigin | null;
}

export interface CreditReservation {
  reservationId: string;
  status: ReservationStatus | null;
  amountMicros: string;
  /** What was taken of it; zero while it is open and when it was released. */
  settledMicros: string;
  expiresAt: Date | null;
}

/** `CreditReservation`, to be written. */
export interface CreditReservationInput {
  reservationId: string;
  status: ReservationStatus | null;
  amountMicros: Int64Input;
  settledMicros: Int64Input;
  expiresAt?: Date | null | undefined;
}

export interface PreviewPriceRequest {
  /** Absent: the standard pack. */
  credits: number | null;
  /** ISO 4217; absent: the price book's usual currency. */
  currency: string | null;
  /** ISO 3166-1: what it would come to there. Absent: where the organisation's purchases are taxed. */
  country: string | null;
}

/** `PreviewPriceRequest`, to be written. */
export interface PreviewPriceRequestInput {
  credits?: number | null | undefined;
  currency?: string | null | undefined;
  country?: string | null | undefined;
}

export interface PreviewCreditPurchaseRequest {
  /** Whole credits. */
  credits: number;
  /** ISO 4217; absent: the price book's usual currency. */
  currency: string | null;
  /** With what it would be paid; absent: the default one. */
  paymentMethodId: string | null;
}

/** `PreviewCreditPurchaseRequest`, to be written. */
export interface PreviewCreditPurchaseRequestInput {
  credits: number;
  currency?: string | null | undefined;
  paymentMethodId?: string | null | undefined;
}

export type GetCreditBalanceRequest = Record<string, never>;

/** `GetCreditBalanceRequest`, to be written. */
export type GetCreditBalanceRequestInput = Record<string, never>;

export interface ListCreditTransactionsRequest {
  /** Any of these; none: all. */
  kind: CreditTransactionKind[];
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCreditTransactionsRequest`, to be written. */
export interface ListCreditTransactionsRequestInput {
  kind?: readonly CreditTransactionKind[] | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCreditTransactionsResponse {
  /** Newest first. */
  transactions: CreditTransaction[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCreditTransactionsResponse`, to be written. */
export interface ListCreditTransactionsResponseInput {
  transactions: readonly CreditTransactionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface ListCreditGrantsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCreditGrantsRequest`, to be written. */
export interface ListCreditGrantsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCreditGrantsResponse {
  /** Newest first; `priority` and `expires_at` say which is spent first. */
  grants: CreditGrant[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCreditGrantsResponse`, to be written. */
export interface ListCreditGrantsResponseInput {
  grants: readonly CreditGrantInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface PurchaseCreditsRequest {
  /** Whole credits. */
  credits: number;
  /** As in a price preview. */
  currency: string | null;
  /** ISO 3166-1, as in a price preview. */
  country: string | null;
  /** Absent: the default payment method. */
  paymentMethodId: string | null;
  /** Of a preview of this purchase: it comes to exactly that, or is refused. */
  previewToken: string | null;
}

/** `PurchaseCreditsRequest`, to be written. */
export interface PurchaseCreditsRequestInput {
  credits: number;
  currency?: string | null | undefined;
  country?: string | null | undefined;
  paymentMethodId?: string | null | undefined;
  previewToken?: string | null | undefined;
}

export interface ListCreditPurchasesRequest {
  /** Any of these; none: all. */
  status: CreditPurchaseStatus[];
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCreditPurchasesRequest`, to be written. */
export interface ListCreditPurchasesRequestInput {
  status?: readonly CreditPurchaseStatus[] | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCreditPurchasesResponse {
  /** Newest first. */
  purchases: CreditPurchase[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCreditPurchasesResponse`, to be written. */
export interface ListCreditPurchasesResponseInput {
  purchases: readonly CreditPurchaseInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetCreditPurchaseRequest {
  purchaseId: string;
}

/** `GetCreditPurchaseRequest`, to be written. */
export interface GetCreditPurchaseRequestInput {
  purchaseId: string;
}

export interface CancelCreditPurchaseRequest {
  purchaseId: string;
}

/** `CancelCreditPurchaseRequest`, to be written. */
export interface CancelCreditPurchaseRequestInput {
  purchaseId: string;
}

export interface ReserveCreditsRequest {
  /** Chosen by the caller. */
  reservationId: string;
  amountMicros: string;
  /** Shown in the ledger: `pipeline_run`, `assistant_message`, `kernel`. */
  purpose: string;
  /**
   * Whose policy and usage it counts against. Absent: the client group and API key of the caller the service
   * acts for; a service that acts for nobody names them, or it counts for the default group.
   */
  clientGroupId: string | null;
  apiKeyId: string | null;
  /** Seconds until it is released unless extended. With the sweep, credits of a dead caller are back within 60 s. */
  lifetimeSeconds: number;
  /** Which limit of the group's policy it counts against. Unspecified: AI. */
  creditClass: CreditClass | null;
}

/** `ReserveCreditsRequest`, to be written. */
export interface ReserveCreditsRequestInput {
  reservationId: string;
  amountMicros: Int64Input;
  purpose: string;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  lifetimeSeconds?: number | null | undefined;
  creditClass?: CreditClass | null | undefined;
}

export interface SettleCreditsRequest {
  reservationId: string;
  amountMicros: string;
}

/** `SettleCreditsRequest`, to be written. */
export interface SettleCreditsRequestInput {
  reservationId: string;
  amountMicros: Int64Input;
}

export interface ReleaseCreditsRequest {
  reservationId: string;
}

/** `ReleaseCreditsRequest`, to be written. */
export interface ReleaseCreditsRequestInput {
  reservationId: string;
}

export interface ExtendReservationsRequest {
  reservationIds: string[];
  lifetimeSeconds: number;
}

/** `ExtendReservationsRequest`, to be written. */
export interface ExtendReservationsRequestInput {
  reservationIds: readonly string[];
  lifetimeSeconds?: number | null | undefined;
}

export interface ExtendReservationsResponse {
  /** Those that are open, as they are now. */
  reservations: CreditReservation[];
}

/** `ExtendReservationsResponse`, to be written. */
export interface ExtendReservationsResponseInput {
  reservations: readonly CreditReservationInput[];
}

export type InvoiceStatus =
  /** A renewal that was refused: it is tried again at `next_attempt_at`, and can be paid at any time. */
  | 'OPEN'
  | 'PAID'
  /** Nothing is to be paid for it any more, as what it was for has ended or was changed; a credit note takes it back. */
  | 'VOID';

/** How a sale is taxed. */
export type TaxTreatment =
  /** At the rate of the country. */
  | 'STANDARD'
  /** The buyer accounts for it, as a business in another country of the EU with a VAT ID of that country. */
  | 'REVERSE_CHARGE'
  /** The buyer is exempt, as the seller has found. */
  | 'EXEMPT'
  /** None is due in that country. */
  | 'NOT_TAXED';

/** What is known of a VAT ID. */
export type TaxIdStatus =
  /** It is none whose format is known: shown as it was given. */
  | 'UNVERIFIED'
  /** Its format and check digits are right; the register was not asked. */
  | 'VALID'
  /** As VALID, and the register is asked again, since it could not answer. */
  | 'PENDING'
  /** The register (VIES) has it. */
  | 'VERIFIED'
  /** The register does not have it. */
  | 'INVALID';

/** From what it was found where a sale is taxed and how, as it was then. */
export interface TaxEvidence {
  /** ISO 3166-1, from the billing details. Null: they had none. */
  billingCountry: string | null;
  /** ISO 3166-1, of the card by the payment processor. Null: it did not say, or it was no card. */
  cardCountry: string | null;
  /** Empty: none. */
  vatId: string;
  /** Null: there was no VAT ID. */
  vatIdStatus: TaxIdStatus | null;
  /** The number of the consultation of VIES. Null: it was not asked, or has given none. */
  vatConsultation: string | null;
  /** Why the buyer is exempt. Null: it is not. */
  exemption: string | null;
}

/** `TaxEvidence`, to be written. */
export interface TaxEvidenceInput {
  billingCountry?: string | null | undefined;
  cardCountry?: string | null | undefined;
  vatId: string;
  vatIdStatus: TaxIdStatus | null;
  vatConsultation?: string | null | undefined;
  exemption?: string | null | undefined;
}

/** Amounts are major units of the currency with as many decimals as it has. */
export interface Invoice {
  id: string;
  /** Unique for who issued it, and without gaps within a year: `INV-2026-000001`. */
  number: string;
  createdAt: Date | null;
  /** Whether something is still to be paid for it. */
  status: InvoiceStatus | null;
  /** ISO 4217. */
  currency: string;
  /** ISO 3166-1: where the tax is due. */
  country: string;
  /** What was sold, before tax; together they make the subtotal. */
  lines: InvoiceLine[];
  /** Use those in minor units. */
  subtotal: number;
  tax: number;
  total: number;
  /** Null until paid. */
  paidAt: Date | null;
  /** Who it is for and who issued it, as they were at that time. */
  buyer: InvoiceBuyer | null;
  /** As `buyer`. */
  seller: InvoiceSeller | null;
  /** What the tax is called: `VAT`. */
  taxLabel: string;
  /** Percent with at most two decimals. Null when no single rate makes the tax. */
  taxRate: number | null;
  /**
   * In minor units of the currency, with tax: what was given back or is on its way, and what a bank has taken back in disputes that are
   * not won.
   */
  refundedMinor: string;
  /** In minor units of the currency, with tax: what banks have taken back as long as disputes are not won. */
  disputedMinor: string;
  /** Null on invoices from before this was kept, as the evidence. */
  taxTreatment: TaxTreatment | null;
  /** What the law wants to be said about it, such as of a reverse charge. Empty: nothing. */
  taxNote: string;
  /** What says where the sale is taxed. */
  taxEvidence: TaxEvidence | null;
  /** In minor units of the currency. */
  subtotalMinor: string;
  taxMinor: string;
  totalMinor: string;
  /** What is left to pay: nothing unless it is open. */
  amountDueMinor: string;
  /** When its payment is tried again by itself. Null unless it is open. */
  nextAttemptAt: Date | null;
  /** How often its payment was refused. */
  attemptCount: number;
}

/** `Invoice`, to be written. */
export interface InvoiceInput {
  id: string;
  number: string;
  createdAt?: Date | null | undefined;
  status: InvoiceStatus | null;
  currency: string;
  country: string;
  lines: readonly InvoiceLineInput[];
  subtotal: number;
  tax: number;
  total: number;
  paidAt?: Date | null | undefined;
  buyer?: InvoiceBuyerInput | null | undefined;
  seller?: InvoiceSellerInput | null | undefined;
  taxLabel: string;
  taxRate?: number | null | undefined;
  refundedMinor: Int64Input;
  disputedMinor: Int64Input;
  taxTreatment: TaxTreatment | null;
  taxNote: string;
  taxEvidence?: TaxEvidenceInput | null | undefined;
  subtotalMinor: Int64Input;
  taxMinor: Int64Input;
  totalMinor: Int64Input;
  amountDueMinor: Int64Input;
  nextAttemptAt?: Date | null | undefined;
  attemptCount: number;
}

export interface InvoiceBuyer {
  /**
   * Empty until it is known, for an invoice that was issued while the organisation's name could not be had.
   * From then on it stays.
   */
  organisationName: string;
  /** From the billing details, as the rest. Empty: there were none. */
  companyName: string;
  addressLines: string[];
  /** Empty: none. */
  vatId: string;
}

/** `InvoiceBuyer`, to be written. */
export interface InvoiceBuyerInput {
  organisationName: string;
  companyName: string;
  addressLines: readonly string[];
  vatId: string;
}

export interface InvoiceSeller {
  /** Of who issued the invoice. */
  name: string;
  addressLines: string[];
  /** Empty: none. */
  vatId: string;
}

/** `InvoiceSeller`, to be written. */
export interface InvoiceSellerInput {
  name: string;
  addressLines: readonly string[];
  vatId: string;
}

export interface InvoiceLine {
  description: string;
  quantity: string;
  /** Use the one in minor units. */
  amount: number;
  /** Before tax, in minor units of the currency. */
  amountMinor: string;
}

/** `InvoiceLine`, to be written. */
export interface InvoiceLineInput {
  description: string;
  quantity: Int64Input;
  amount: number;
  amountMinor: Int64Input;
}

export interface ListInvoicesRequest {
  /** Any of these; none: all. */
  status: InvoiceStatus[];
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListInvoicesRequest`, to be written. */
export interface ListInvoicesRequestInput {
  status?: readonly InvoiceStatus[] | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListInvoicesResponse {
  /** Newest first. */
  invoices: Invoice[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListInvoicesResponse`, to be written. */
export interface ListInvoicesResponseInput {
  invoices: readonly InvoiceInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetInvoiceRequest {
  invoiceId: string;
}

/** `GetInvoiceRequest`, to be written. */
export interface GetInvoiceRequestInput {
  invoiceId: string;
}

export interface VoidInvoiceRequest {
  invoiceId: string;
}

/** `VoidInvoiceRequest`, to be written. */
export interface VoidInvoiceRequestInput {
  invoiceId: string;
}

export interface PayInvoiceRequest {
  invoiceId: string;
  /** Absent: the default payment method. */
  paymentMethodId: string | null;
}

/** `PayInvoiceRequest`, to be written. */
export interface PayInvoiceRequestInput {
  invoiceId: string;
  paymentMethodId?: string | null | undefined;
}

export interface GetInvoicePdfRequest {
  invoiceId: string;
}

/** `GetInvoicePdfRequest`, to be written. */
export interface GetInvoicePdfRequestInput {
  invoiceId: string;
}

export interface InvoicePdf {
  content: Buffer;
}

/** `InvoicePdf`, to be written. */
export interface InvoicePdfInput {
  content: Uint8Array;
}

export interface BillingDetails {
  /** Printed on invoices above the address; empty: the organisation's name stands alone. */
  companyName: string;
  addressLines: string[];
  /** Without spaces; empty: none. */
  vatId: string;
  /** Null: never set. */
  updatedAt: Date | null;
  /** ISO 3166-1: where tax is due, unless the card is of another country and no VAT ID bears this one out. Null: unknown. */
  country: string | null;
  /** Null: there is no VAT ID. */
  vatIdStatus: TaxIdStatus | null;
  /** Where mails about billing go; null: to the administrators. */
  email: string | null;
}

/** `BillingDetails`, to be written. */
export interface BillingDetailsInput {
  companyName: string;
  addressLines: readonly string[];
  vatId: string;
  updatedAt?: Date | null | undefined;
  country?: string | null | undefined;
  vatIdStatus: TaxIdStatus | null;
  email?: string | null | undefined;
}

export type GetBillingDetailsRequest = Record<string, never>;

/** `GetBillingDetailsRequest`, to be written. */
export type GetBillingDetailsRequestInput = Record<string, never>;

export interface SetBillingDetailsRequest {
  /** Empty, as the others may be: none. */
  companyName: string;
  /** Printed on invoices, one below the other. */
  addressLines: string[];
  /** Any country's: letters, digits, spaces and `. - / + *`. */
  vatId: string;
  /** ISO 3166-1. Null or absent: unknown. */
  country: string | null;
  /** Null or absent: mails go to the administrators. */
  email: string | null;
}

/** `SetBillingDetailsRequest`, to be written. */
export interface SetBillingDetailsRequestInput {
  companyName: string;
  addressLines: readonly string[];
  vatId: string;
  country?: string | null | undefined;
  email?: string | null | undefined;
}

export interface ReceiveStripeWebhookRequest {
  /** The body byte for byte, for that is what is signed. */
  payload: Buffer;
  /** What Stripe has signed the body with, and when; a wrong or an old one is refused. */
  signature: string;
}

/** `ReceiveStripeWebhookRequest`, to be written. */
export interface ReceiveStripeWebhookRequestInput {
  payload?: Uint8Array | null | undefined;
  signature?: string | null | undefined;
}

export interface ReceiveStripeWebhookResponse {
  /** Always true. */
  received: boolean;
}

/** `ReceiveStripeWebhookResponse`, to be written. */
export interface ReceiveStripeWebhookResponseInput {
  received: boolean;
}

export type ExportFormat =
  /** `text/csv` in UTF-8, as in RFC 4180. A text that a spreadsheet would take for a formula has `'` before it. */
  | 'csv'
  /** `application/jsonl`: an object on each line, with every text as it is. */
  | 'jsonl';

export interface ExportFile {
  contentType: string;
  contentDisposition: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `ExportFile`, to be written. */
export interface ExportFileInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

export interface ExportCreditTransactionsRequest {
  format: ExportFormat;
  /** Of this moment or later, and before that one. */
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** Any of these; none: all. */
  kind: CreditTransactionKind[];
  clientGroupId: string | null;
  /** What was reserved or done with this key, and done for this user. */
  apiKeyId: string | null;
  memberId: string | null;
}

/** `ExportCreditTransactionsRequest`, to be written. */
export interface ExportCreditTransactionsRequestInput {
  format?: ExportFormat | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  kind?: readonly CreditTransactionKind[] | null | undefined;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  memberId?: string | null | undefined;
}

export interface ExportUsageRequest {
  format: ExportFormat;
  /** Days that begin at this moment or later, and before that one. */
  createdAfter: Date | null;
  createdBefore: Date | null;
  clientGroupId: string | null;
  apiKeyId: string | null;
  /** What was spent for this user; requests are not counted by member. */
  memberId: string | null;
}

/** `ExportUsageRequest`, to be written. */
export interface ExportUsageRequestInput {
  format?: ExportFormat | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  memberId?: string | null | undefined;
}

export interface ExportInvoicesRequest {
  format: ExportFormat;
  /** Of this moment or later, and before that one. */
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** `ExportInvoicesRequest`, to be written. */
export interface ExportInvoicesRequestInput {
  format?: ExportFormat | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
}

export interface ExportCreditNotesRequest {
  format: ExportFormat;
  /** Of this moment or later, and before that one. */
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** `ExportCreditNotesRequest`, to be written. */
export interface ExportCreditNotesRequestInput {
  format?: ExportFormat | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
}

export interface ExportPaymentsRequest {
  format: ExportFormat;
  /** Of this moment or later, and before that one. */
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** `ExportPaymentsRequest`, to be written. */
export interface ExportPaymentsRequestInput {
  format?: ExportFormat | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
}

export type BillingMailKind =
  /** A balance alert went off. */
  | 'BALANCE_LOW'
  /** With the invoice as PDF. */
  | 'INVOICE_ISSUED'
  /** A renewal was not paid. */
  | 'PAYMENT_FAILED'
  /** A subscription renews in seven days. */
  | 'RENEWAL_UPCOMING'
  | 'TOP_UP_SUCCEEDED'
  | 'TOP_UP_FAILED'
  /** A trial ends in three days. */
  | 'TRIAL_ENDING';

export type BillingMailStatus =
  | 'PENDING'
  | 'SENT'
  /** It could not be sent (`error`), and is not tried any more. */
  | 'FAILED'
  /** Nobody wanted it. */
  | 'SKIPPED';

export interface BillingMail {
  id: string;
  createdAt: Date | null;
  /** What it was about. */
  kind: BillingMailKind | null;
  /** Whether it was sent. */
  status: BillingMailStatus | null;
  /** To whom it was sent, or was tried to be. */
  recipients: string[];
  /** Null until it was. */
  sentAt: Date | null;
  /** Why the last attempt went wrong; null: none has. */
  error: string | null;
}

/** `BillingMail`, to be written. */
export interface BillingMailInput {
  id: string;
  createdAt?: Date | null | undefined;
  kind: BillingMailKind | null;
  status: BillingMailStatus | null;
  recipients: readonly string[];
  sentAt?: Date | null | undefined;
  error?: string | null | undefined;
}

export interface BillingMailPreferences {
  /** Those that are not sent; all others are. */
  disabled: BillingMailKind[];
}

/** `BillingMailPreferences`, to be written. */
export interface BillingMailPreferencesInput {
  disabled: readonly BillingMailKind[];
}

export interface ListBillingMailsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListBillingMailsRequest`, to be written. */
export interface ListBillingMailsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListBillingMailsResponse {
  /** Newest first. */
  mails: BillingMail[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListBillingMailsResponse`, to be written. */
export interface ListBillingMailsResponseInput {
  mails: readonly BillingMailInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export type GetBillingMailPreferencesRequest = Record<string, never>;

/** `GetBillingMailPreferencesRequest`, to be written. */
export type GetBillingMailPreferencesRequestInput = Record<string, never>;

export interface SetBillingMailPreferencesRequest {
  /** Kinds of which no mail is sent, in place of those before; none: all are sent. */
  disabled: BillingMailKind[];
}

/** `SetBillingMailPreferencesRequest`, to be written. */
export interface SetBillingMailPreferencesRequestInput {
  disabled: readonly BillingMailKind[];
}

export type MeterAggregation =
  | 'SUM'
  | 'COUNT'
  | 'MAX'
  /** How many different values there were. */
  | 'UNIQUE_COUNT'
  /** The value of the event with the latest time, of those at the same time the one whose source and id come last. */
  | 'LATEST';

export type MeterWindow =
  /** Of UTC, as all of them. */
  | 'HOUR'
  | 'DAY'
  | 'MONTH';

export interface Meter {
  id: string;
  /** Unique among meters that are not archived. */
  slug: string;
  /** What it is called. */
  name: string;
  /** What it counts, in words. */
  description: string;
  /** The type of the events that it counts. */
  eventType: string;
  /** How the values of events make one number. */
  aggregation: MeterAggregation | null;
  /** Where in the data of an event its value stands; null for COUNT. */
  valueProperty: string | null;
  /** What its counts can be told apart by, beside the `subject`: where in the data each stands. */
  groupBy: Record<string, string>;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Null: it counts. */
  archivedAt: Date | null;
}

/** `Meter`, to be written. */
export interface MeterInput {
  id: string;
  slug: string;
  name: string;
  description: string;
  eventType: string;
  aggregation: MeterAggregation | null;
  valueProperty?: string | null | undefined;
  groupBy: Readonly<Record<string, string | undefined>>;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  archivedAt?: Date | null | undefined;
}

export interface CreateMeterRequest {
  /** Unique among meters that are not archived. */
  slug: string;
  /** What it is called. */
  name: string;
  /** What it counts, in words. */
  description: string;
  /** Exactly the `type` of the events that it counts. */
  eventType: string;
  /** How the values of events make one number. */
  aggregation: MeterAggregation;
  /** `$.tokens`, `$.usage.tokens`: up to five names. Required unless it is COUNT, which has none. */
  valueProperty: string | null;
  /** Up to 8 names (`a` to `z`, digits and `_`; not `subject`), each with the path of its value. */
  groupBy: Record<string, string>;
}

/** `CreateMeterRequest`, to be written. */
export interface CreateMeterRequestInput {
  slug: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  eventType: string;
  aggregation: MeterAggregation;
  valueProperty?: string | null | undefined;
  groupBy?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface ListMetersRequest {
  /** Those that are archived as well. */
  includeArchived: boolean;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListMetersRequest`, to be written. */
export interface ListMetersRequestInput {
  includeArchived?: boolean | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListMetersResponse {
  /** Newest first. */
  meters: Meter[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListMetersResponse`, to be written. */
export interface ListMetersResponseInput {
  meters: readonly MeterInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetMeterRequest {
  meterId: string;
}

/** `GetMeterRequest`, to be written. */
export interface GetMeterRequestInput {
  meterId: string;
}

export interface UpdateMeterRequest {
  meterId: string;
  name: string;
  description: string;
  updateMask: FieldMask | null;
}

/** `UpdateMeterRequest`, to be written. */
export interface UpdateMeterRequestInput {
  meterId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface ArchiveMeterRequest {
  meterId: string;
}

/** `ArchiveMeterRequest`, to be written. */
export interface ArchiveMeterRequestInput {
  meterId: string;
}

export interface QueryMeterRequest {
  meterId: string;
  /** UTC hours that begin at this moment or later, and before that one. Absent: the 30 days before it, or before now. */
  from: Date | null;
  /** As `from`: hours that begin before this moment. */
  to: Date | null;
  /** Absent: all of that time together. */
  windowSize: MeterWindow | null;
  /** Names of the meter's groups, or `subject`; none: all of them together. */
  groupBy: string[];
  /** `region=eu`: only what belongs to that group. The same name again: any of its values. */
  filter: string[];
  limit: number;
  cursor: string;
}

/** `QueryMeterRequest`, to be written. */
export interface QueryMeterRequestInput {
  meterId: string;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
  windowSize?: MeterWindow | null | undefined;
  groupBy?: readonly string[] | null | undefined;
  filter?: readonly string[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}

export interface QueryMeterResponse {
  /** The newest window first. */
  rows: MeterRow[];
  /** Empty on the last page. */
  nextCursor: string;
}

/** `QueryMeterResponse`, to be written. */
export interface QueryMeterResponseInput {
  rows: readonly MeterRowInput[];
  nextCursor: string;
}

export interface MeterRow {
  /** The first moment that belongs to it. */
  windowStart: Date | null;
  /** The first moment that does not belong to it any more. */
  windowEnd: Date | null;
  /** A decimal number of any size, as exact as the events. */
  value: string;
  /** A name is left out where events have no value for it. */
  groupBy: Record<string, string>;
}

/** `MeterRow`, to be written. */
export interface MeterRowInput {
  windowStart?: Date | null | undefined;
  windowEnd?: Date | null | undefined;
  value: string;
  groupBy: Readonly<Record<string, string | undefined>>;
}

/** An event as CloudEvents 1.0 have it, in JSON. Other attributes are ignored. */
export interface UsageEvent {
  /** `1.0`. */
  specversion: string;
  /** Unique for its source, by which it is counted once. */
  id: string;
  /** Who reports it: with `id` it names the event. */
  source: string;
  /** Which meters count it: those of this `event_type`. */
  type: string;
  /** Whose usage it is, in words of who reports it. */
  subject: string | null;
  /** Absent: when it comes. At most 30 days ago, and an hour ahead. */
  time: Date | null;
  /** The media type of `data`, which is JSON. */
  datacontenttype: string | null;
  /** What meters look into: their value and their groups. */
  data: Record<string, JsonValue>;
}

/** `UsageEvent`, to be written. */
export interface UsageEventInput {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject?: string | null | undefined;
  time?: Date | null | undefined;
  datacontenttype?: string | null | undefined;
  data?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface IngestUsageEventsRequest {
  /** One or many. */
  events: UsageEvent[];
}

/** `IngestUsageEventsRequest`, to be written. */
export interface IngestUsageEventsRequestInput {
  events: readonly UsageEventInput[];
}

export interface IngestUsageEventsResponse {
  /** How many were counted now, and how many had been before. */
  accepted: number;
  /** How many had been counted before by their source and id. */
  duplicates: number;
}

/** `IngestUsageEventsResponse`, to be written. */
export interface IngestUsageEventsResponseInput {
  accepted: number;
  duplicates: number;
}

export interface SetupIntent {
  clientSecret: string;
}

/** `SetupIntent`, to be written. */
export interface SetupIntentInput {
  clientSecret: string;
}

export interface PaymentMethod {
  id: string;
  createdAt: Date | null;
  /** `card` and what else the processor knows. */
  kind: string;
  /** Of a card: `visa`; else empty. */
  brand: string;
  /** Digits of the card's number; empty unless it is a card. */
  lastFour: string;
  /** Null unless it is a card. */
  expiryMonth: number | null;
  /** With four digits; null unless it is a card. */
  expiryYear: number | null;
  /** Whether it pays where none is named, and for renewals. */
  isDefault: boolean;
  /** ISO 3166-1: where the card was issued. Null: the processor does not say. */
  country: string | null;
}

/** `PaymentMethod`, to be written. */
export interface PaymentMethodInput {
  id: string;
  createdAt?: Date | null | undefined;
  kind: string;
  brand: string;
  lastFour: string;
  expiryMonth?: number | null | undefined;
  expiryYear?: number | null | undefined;
  isDefault: boolean;
  country?: string | null | undefined;
}

export type SandboxConfirmationStatus =
  | 'SUCCEEDED'
  | 'DECLINED';

export interface SandboxConfirmation {
  /** What the sandbox made of the card. */
  status: SandboxConfirmationStatus | null;
  /** Empty unless declined. */
  reason: string;
  /** What was set up; null where a payment was confirmed. */
  paymentMethod: PaymentMethod | null;
}

/** `SandboxConfirmation`, to be written. */
export interface SandboxConfirmationInput {
  status: SandboxConfirmationStatus | null;
  reason: string;
  paymentMethod?: PaymentMethodInput | null | undefined;
}

export type CreateSetupIntentRequest = Record<string, never>;

/** `CreateSetupIntentRequest`, to be written. */
export type CreateSetupIntentRequestInput = Record<string, never>;

export interface ConfirmInSandboxRequest {
  /** Of a set-up intent, a purchase or a change of the subscription. */
  clientSecret: string;
  /** The name of one of Stripe's test cards: `pm_card_visa`, `pm_card_chargeCustomerFail`, ... */
  card: string;
}

/** `ConfirmInSandboxRequest`, to be written. */
export interface ConfirmInSandboxRequestInput {
  clientSecret: string;
  card?: string | null | undefined;
}

export interface ListPaymentMethodsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListPaymentMethodsRequest`, to be written. */
export interface ListPaymentMethodsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListPaymentMethodsResponse {
  /** Newest first. */
  paymentMethods: PaymentMethod[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListPaymentMethodsResponse`, to be written. */
export interface ListPaymentMethodsResponseInput {
  paymentMethods: readonly PaymentMethodInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface SetDefaultPaymentMethodRequest {
  paymentMethodId: string;
}

/** `SetDefaultPaymentMethodRequest`, to be written. */
export interface SetDefaultPaymentMethodRequestInput {
  paymentMethodId: string;
}

export interface DetachPaymentMethodRequest {
  paymentMethodId: string;
}

/** `DetachPaymentMethodRequest`, to be written. */
export interface DetachPaymentMethodRequestInput {
  paymentMethodId: string;
}

export type PriceKind =
  /** A seat for one cycle. */
  | 'SEAT'
  /** Credits, once. */
  | 'CREDITS';

export interface Price {
  /** What it is the price of: `seat:TEAM:MONTHLY:EUR`, `credits:EUR`. It stays when the price changes. */
  id: string;
  /** Another one as soon as the price is another one, and the same again when it is what it was. */
  version: string;
  /** What is sold. */
  kind: PriceKind | null;
  /** ISO 4217. */
  currency: string;
  /** Decimals of the currency: an amount of 1234 minor units is 12.34 where there are two. */
  currencyDecimals: number;
  /** The smallest amount that can be paid, in minor units with tax. */
  minimumMinor: string;
  /** Of a seat; null for credits, as the next two. */
  tier: SubscriptionTier | null;
  /** Of a seat: the time that it is for; null for credits. */
  renewalCycle: RenewalCycle | null;
  /** Of one seat and cycle, in minor units. */
  unitAmountMinor: string | null;
  /** Of credits; empty for a seat. The price of a tier holds for the credits within it. */
  tiers: PriceTier[];
  /** Of a seat: how many days a trial of the tier lasts, of an organisation that has never bought anything. Null: none is offered. */
  trialDays: number | null;
  /** Of a seat: how many credits come with each cycle, and expire with it. Null for credits. */
  includedCredits: string | null;
}

/** `Price`, to be written. */
export interface PriceInput {
  id: string;
  version: string;
  kind: PriceKind | null;
  currency: string;
  currencyDecimals: number;
  minimumMinor: Int64Input;
  tier: SubscriptionTier | null;
  renewalCycle: RenewalCycle | null;
  unitAmountMinor?: Int64Input | null | undefined;
  tiers: readonly PriceTierInput[];
  trialDays?: number | null | undefined;
  includedCredits?: Int64Input | null | undefined;
}

export interface PriceTier {
  /** From so many whole credits on. */
  fromCredits: string;
  /** What a thousand credits cost, in minor units of the currency and before tax. */
  minorPerThousand: string;
}

/** `PriceTier`, to be written. */
export interface PriceTierInput {
  fromCredits: Int64Input;
  minorPerThousand: Int64Input;
}

export interface ListPricesRequest {
  /** Any of these; none: all. */
  kind: PriceKind[];
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListPricesRequest`, to be written. */
export interface ListPricesRequestInput {
  kind?: readonly PriceKind[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListPricesResponse {
  /** What is sold now, in every currency of the price book. */
  prices: Price[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListPricesResponse`, to be written. */
export interface ListPricesResponseInput {
  prices: readonly PriceInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export type RefundStatus =
  /** On its way; it will become one of the others. */
  | 'PENDING'
  | 'SUCCEEDED'
  /** Nothing was given back, perhaps after it had succeeded, as banks send money back; what was taken for it is there again. */
  | 'FAILED';

export type RefundReason =
  | 'REQUESTED_BY_CUSTOMER'
  | 'DUPLICATE'
  /** By an operator of the platform. */
  | 'GOODWILL';

export interface Refund {
  id: string;
  createdAt: Date | null;
  /** Null: it was paid, and nothing was given for it. */
  invoiceId: string | null;
  /** Whether the money is on its way back. */
  status: RefundStatus | null;
  /** As stated: of which tax is `tax_minor`. */
  amountMinor: string;
  taxMinor: string;
  /** ISO 4217. */
  currency: string;
  /** Why it is given back. */
  reason: RefundReason | null;
  /** Why, in words; empty: nothing was said. */
  memo: string;
  /**
   * What was taken for it: of the credits that were bought, of those that come later with a cycle that was paid in advance, or of what a
   * subscription has left over (before tax).
   */
  creditsMicros: string;
  /** What was taken of what is left over for the next bill, in minor units of the currency. */
  balanceMinor: string;
  /** Why nothing was given back; null unless FAILED. */
  code: string | null;
  /** Null until it has succeeded. One that has failed after that has it still, and it is void. */
  creditNoteId: string | null;
}

/** `Refund`, to be written. */
export interface RefundInput {
  id: string;
  createdAt?: Date | null | undefined;
  invoiceId?: string | null | undefined;
  status: RefundStatus | null;
  amountMinor: Int64Input;
  taxMinor: Int64Input;
  currency: string;
  reason: RefundReason | null;
  memo: string;
  creditsMicros: Int64Input;
  balanceMinor: Int64Input;
  code?: string | null | undefined;
  creditNoteId?: string | null | undefined;
}

export interface CreditNoteLine {
  description: string;
  quantity: string;
  /** Without tax. */
  amountMinor: string;
}

/** `CreditNoteLine`, to be written. */
export interface CreditNoteLineInput {
  description: string;
  quantity: Int64Input;
  amountMinor: Int64Input;
}

/** What takes back an invoice, or a part of it: what was refunded, or an invoice that is void. It never changes. */
export interface CreditNote {
  id: string;
  /** Unique, and without gaps within a year: `CN-2026-000001`. */
  number: string;
  createdAt: Date | null;
  /** The invoice that it takes back, or a part of it. */
  invoiceId: string;
  /** Of that invoice. */
  invoiceNumber: string;
  /** Null: of an invoice that is void. */
  refundId: string | null;
  /** ISO 4217. */
  currency: string;
  /** What is taken back, before tax; together they make the subtotal. */
  lines: CreditNoteLine[];
  subtotalMinor: string;
  taxMinor: string;
  totalMinor: string;
  /** Since when it says nothing any more, as its refund has failed after all; null as a rule. */
  voidedAt: Date | null;
}

/** `CreditNote`, to be written. */
export interface CreditNoteInput {
  id: string;
  number: string;
  createdAt?: Date | null | undefined;
  invoiceId: string;
  invoiceNumber: string;
  refundId?: string | null | undefined;
  currency: string;
  lines: readonly CreditNoteLineInput[];
  subtotalMinor: Int64Input;
  taxMinor: Int64Input;
  totalMinor: Int64Input;
  voidedAt?: Date | null | undefined;
}

export type DisputeStatus =
  /** The bank has taken the money and has not decided yet. */
  | 'OPEN'
  /** The payment stands. */
  | 'WON'
  /** The money is gone. */
  | 'LOST';

export interface Dispute {
  id: string;
  createdAt: Date | null;
  /** OPEN until the bank has decided. */
  status: DisputeStatus | null;
  /** What the bank has taken, in minor units of the currency. */
  amountMinor: string;
  /** ISO 4217. */
  currency: string;
  /** As the processor says: `fraudulent`, `product_not_received`, ... */
  reason: string;
  /** What was paid; null: it has no invoice. */
  invoiceId: string | null;
  /** Bought credits that are taken away as long as it is not won, those of cycles that were paid in advance as they come. */
  creditsMicros: string;
}

/** `Dispute`, to be written. */
export interface DisputeInput {
  id: string;
  createdAt?: Date | null | undefined;
  status: DisputeStatus | null;
  amountMinor: Int64Input;
  currency: string;
  reason: string;
  invoiceId?: string | null | undefined;
  creditsMicros: Int64Input;
}

export interface CreateRefundRequest {
  invoiceId: string;
  /** Absent: all that can be given back. */
  amountMinor: string | null;
  /** Absent: REQUESTED_BY_CUSTOMER. */
  reason: RefundReason | null;
  /** Why, in words on one line. */
  memo: string;
}

/** `CreateRefundRequest`, to be written. */
export interface CreateRefundRequestInput {
  invoiceId: string;
  amountMinor?: Int64Input | null | undefined;
  reason?: RefundReason | null | undefined;
  memo?: string | null | undefined;
}

export interface ListRefundsRequest {
  /** Only of this invoice. */
  invoiceId: string | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListRefundsRequest`, to be written. */
export interface ListRefundsRequestInput {
  invoiceId?: string | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListRefundsResponse {
  /** Newest first. */
  refunds: Refund[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListRefundsResponse`, to be written. */
export interface ListRefundsResponseInput {
  refunds: readonly RefundInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetRefundRequest {
  refundId: string;
}

/** `GetRefundRequest`, to be written. */
export interface GetRefundRequestInput {
  refundId: string;
}

export interface ListCreditNotesRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCreditNotesRequest`, to be written. */
export interface ListCreditNotesRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCreditNotesResponse {
  /** Newest first. */
  creditNotes: CreditNote[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCreditNotesResponse`, to be written. */
export interface ListCreditNotesResponseInput {
  creditNotes: readonly CreditNoteInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetCreditNoteRequest {
  creditNoteId: string;
}

/** `GetCreditNoteRequest`, to be written. */
export interface GetCreditNoteRequestInput {
  creditNoteId: string;
}

export interface GetCreditNotePdfRequest {
  creditNoteId: string;
}

/** `GetCreditNotePdfRequest`, to be written. */
export interface GetCreditNotePdfRequestInput {
  creditNoteId: string;
}

export interface CreditNotePdf {
  content: Buffer;
}

/** `CreditNotePdf`, to be written. */
export interface CreditNotePdfInput {
  content: Uint8Array;
}

export interface ListDisputesRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListDisputesRequest`, to be written. */
export interface ListDisputesRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListDisputesResponse {
  /** Newest first. */
  disputes: Dispute[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDisputesResponse`, to be written. */
export interface ListDisputesResponseInput {
  disputes: readonly DisputeInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export type SubscriptionStatus =
  | 'ACTIVE'
  /** A renewal was not paid; everything works until `grace_ends_at`. */
  | 'PAST_DUE'
  /** It ends with the running period. */
  | 'CANCELING'
  | 'ENDED'
  /** Nothing was ever bought. */
  | 'FREE'
  /** Nothing is paid until `trial_ends_at`, when it renews. A trial that was cancelled is CANCELING. */
  | 'TRIALING';

/** What the end of a trial does where no payment method is set up. */
export type TrialEnd =
  /** The subscription ends, and nothing is owed. */
  | 'CANCEL'
  /** The first cycle begins, with an open invoice and the grace of every renewal that was not paid. */
  | 'CREATE_INVOICE';

export type SubscriptionChangeState =
  /** It is not over: it may not be known yet whether it is paid. */
  | 'PENDING'
  | 'SUCCEEDED'
  /** It came to nothing, and nothing was paid. */
  | 'REFUSED'
  /** The payer has to confirm the payment, with `client_secret`. */
  | 'REQUIRES_ACTION';

/** A change, a renewal or a cancellation. */
export interface SubscriptionChange {
  id: string;
  createdAt: Date | null;
  /** How far it is; REQUIRES_ACTION waits for the payer. */
  state: SubscriptionChangeState | null;
  /** As in the event subscription.changed, or `renewed`. */
  change: string;
  /** Use the one in minor units. */
  total: number;
  /** ISO 4217. */
  currency: string;
  /** Why it was refused: `card_declined`, `seats_in_use`, ...; null unless it was. */
  code: string | null;
  /** With tax, in minor units of the currency. */
  totalMinor: string;
  /** With which the frontend lets the payer confirm; null unless the state is REQUIRES_ACTION. */
  clientSecret: string | null;
}

/** `SubscriptionChange`, to be written. */
export interface SubscriptionChangeInput {
  id: string;
  createdAt?: Date | null | undefined;
  state: SubscriptionChangeState | null;
  change: string;
  total: number;
  currency: string;
  code?: string | null | undefined;
  totalMinor: Int64Input;
  clientSecret?: string | null | undefined;
}

export interface Subscription {
  /** Zeros alone when the status is FREE. */
  id: string;
  /** The plan. */
  tier: SubscriptionTier | null;
  seatCount: number;
  /** FREE: nothing was bought yet. */
  status: SubscriptionStatus | null;
  renewalCycle: RenewalCycle | null;
  /** Null when the status is FREE, as the next one. */
  currentPeriodStart: Date | null;
  /** When the period that is paid for ends; null when the status is FREE. */
  currentPeriodEnd: Date | null;
  /** What it becomes at the end of the period; null when it stays. */
  pendingTier: SubscriptionTier | null;
  /** How many there are from the end of the period on; null when it stays. */
  pendingSeatCount: number | null;
  /** Null unless past due. */
  graceEndsAt: Date | null;
  /** Grows with every change. */
  version: string;
  /** Use the one in minor units. */
  credit: number;
  /** ISO 4217: of the credit. */
  currency: string;
  /** The cycle that begins with `pending_tier`; null when the tier stays. */
  pendingRenewalCycle: RenewalCycle | null;
  /** Left over from earlier changes, before tax; the next bill takes it first. In minor units. */
  creditMinor: string;
  /** Of a subscription that is past due: when the renewal is tried again by itself, at once when a card is set up. Else null. */
  nextAttemptAt: Date | null;
  /** The invoice of the renewal that was refused, which can be paid at any time. Null: none. */
  openInvoiceId: string | null;
  /** When the trial ends, or has ended. Null: there was none, and there can still be one where nothing was bought yet. */
  trialEndsAt: Date | null;
  /** Null unless there is or was a trial. */
  trialMissingPaymentMethod: TrialEnd | null;
  /** Credits that come with each cycle of the present plan that is paid for, and expire with it. In micros. */
  planCreditsMicros: string;
}

/** `Subscription`, to be written. */
export interface SubscriptionInput {
  id: string;
  tier: SubscriptionTier | null;
  seatCount: number;
  status: SubscriptionStatus | null;
  renewalCycle: RenewalCycle | null;
  currentPeriodStart?: Date | null | undefined;
  currentPeriodEnd?: Date | null | undefined;
  pendingTier: SubscriptionTier | null;
  pendingSeatCount?: number | null | undefined;
  graceEndsAt?: Date | null | undefined;
  version: Int64Input;
  credit: number;
  currency: string;
  pendingRenewalCycle: RenewalCycle | null;
  creditMinor: Int64Input;
  nextAttemptAt?: Date | null | undefined;
  openInvoiceId?: string | null | undefined;
  trialEndsAt?: Date | null | undefined;
  trialMissingPaymentMethod: TrialEnd | null;
  planCreditsMicros: Int64Input;
}

export interface ChangeSubscriptionRequest {
  /** Members who may be active at the same time. Fewer take effect with the next period. */
  seatCount: number;
  /** The plan. From TEAM to BASIC takes effect with the next period. */
  subscriptionTier: SubscriptionTier;
  /**
   * Absent: stays as it is; monthly for a first subscription. Another cycle begins at once, and what
   * is unused of the old one counts against its price.
   */
  renewalCycle: RenewalCycle | null;
  /** Pays for one more cycle after those that are paid for, of the tier, seats and cycle that it has. */
  renew: boolean;
  /** Of a preview of this change: it comes to exactly that, or is refused. */
  previewToken: string | null;
  /** Begins with a trial of as many days as the price says; not together with `renew`. While one runs it changes nothing. */
  trial: boolean;
  /** Of the trial that begins. Absent: CANCEL. */
  trialMissingPaymentMethod: TrialEnd | null;
}

/** `ChangeSubscriptionRequest`, to be written. */
export interface ChangeSubscriptionRequestInput {
  seatCount: number;
  subscriptionTier: SubscriptionTier;
  renewalCycle?: RenewalCycle | null | undefined;
  renew?: boolean | null | undefined;
  previewToken?: string | null | undefined;
  trial?: boolean | null | undefined;
  trialMissingPaymentMethod?: TrialEnd | null | undefined;
}

export interface SubscriptionPreview {
  /** False: it is so already, and nothing would be paid. */
  changes: boolean;
  /** The plan as it would be from `takes_effect_at` on: now, or the end of the paid period. */
  tier: SubscriptionTier | null;
  seatCount: number;
  renewalCycle: RenewalCycle | null;
  /** When the plan would be that. */
  takesEffectAt: Date | null;
  /** Of the period that would then be paid for. */
  currentPeriodEnd: Date | null;
  /** What would be paid now; they make `subtotal` exactly. */
  lines: InvoiceLine[];
  /** Use those in minor units. */
  subtotal: number;
  tax: number;
  total: number;
  /** ISO 4217. */
  currency: string;
  /** ISO 3166-1: where the tax is due. */
  country: string;
  /** Use the one in minor units. */
  credit: number;
  /** What is done: as in the event subscription.changed, or `renewed`. Null: nothing changes. */
  change: string | null;
  /**
   * With it the change comes to exactly this, until it expires; a change of anything it rests on makes it CONFLICT
   * (`preview_outdated`).
   */
  token: string;
  tokenExpiresAt: Date | null;
  /** Percent. */
  taxRate: number;
  /** How the sale would be taxed. */
  taxTreatment: TaxTreatment | null;
  /** What the law wants to be said about the tax; empty: nothing. */
  taxNote: string;
  /** When the next cycle is charged, and what it comes to with tax as things stand. Null: it ends. */
  renewsAt: Date | null;
  /** What the next cycle comes to with tax, in minor units of the currency. */
  renewalTotalMinor: string | null;
  /** In minor units; what is left over for the next bill is before tax. */
  subtotalMinor: string;
  taxMinor: string;
  totalMinor: string;
  /** What would be left over for the next bill, before tax, in minor units of the currency. */
  creditMinor: string;
  /** Until when nothing would be paid. Null: there would be no trial. */
  trialEndsAt: Date | null;
  /** Credits that would come with each cycle of the plan that is paid for, and expire with it. In micros. */
  planCreditsMicros: string;
}

/** `SubscriptionPreview`, to be written. */
export interface SubscriptionPreviewInput {
  changes: boolean;
  tier: SubscriptionTier | null;
  seatCount: number;
  renewalCycle: RenewalCycle | null;
  takesEffectAt?: Date | null | undefined;
  currentPeriodEnd?: Date | null | undefined;
  lines: readonly InvoiceLineInput[];
  subtotal: number;
  tax: number;
  total: number;
  currency: string;
  country: string;
  credit: number;
  change?: string | null | undefined;
  token: string;
  tokenExpiresAt?: Date | null | undefined;
  taxRate: number;
  taxTreatment: TaxTreatment | null;
  taxNote: string;
  renewsAt?: Date | null | undefined;
  renewalTotalMinor?: Int64Input | null | undefined;
  subtotalMinor: Int64Input;
  taxMinor: Int64Input;
  totalMinor: Int64Input;
  creditMinor: Int64Input;
  trialEndsAt?: Date | null | undefined;
  planCreditsMicros: Int64Input;
}

/** As a change would have it. */
export interface PreviewSubscriptionRequest {
  /** As in the change, like all that follows. Absent: stays as it is. */
  seatCount: number;
  subscriptionTier: SubscriptionTier;
  renewalCycle: RenewalCycle | null;
  /** Whether the change would pay for one more cycle. */
  renew: boolean;
  /** As the request that it is a preview of. */
  trial: boolean;
  trialMissingPaymentMethod: TrialEnd | null;
}

/** `PreviewSubscriptionRequest`, to be written. */
export interface PreviewSubscriptionRequestInput {
  seatCount: number;
  subscriptionTier: SubscriptionTier;
  renewalCycle?: RenewalCycle | null | undefined;
  renew?: boolean | null | undefined;
  trial?: boolean | null | undefined;
  trialMissingPaymentMethod?: TrialEnd | null | undefined;
}

export type GetSubscriptionRequest = Record<string, never>;

/** `GetSubscriptionRequest`, to be written. */
export type GetSubscriptionRequestInput = Record<string, never>;

export interface CancelSubscriptionChangeRequest {
  changeId: string;
}

/** `CancelSubscriptionChangeRequest`, to be written. */
export interface CancelSubscriptionChangeRequestInput {
  changeId: string;
}

export interface GetSubscriptionChangeRequest {
  changeId: string;
}

/** `GetSubscriptionChangeRequest`, to be written. */
export interface GetSubscriptionChangeRequestInput {
  changeId: string;
}

export type PreviewCancellationRequest = Record<string, never>;

/** `PreviewCancellationRequest`, to be written. */
export type PreviewCancellationRequestInput = Record<string, never>;

export type PreviewResumptionRequest = Record<string, never>;

/** `PreviewResumptionRequest`, to be written. */
export type PreviewResumptionRequestInput = Record<string, never>;

export interface CancelSubscriptionRequest {
  /** Of a preview of this. */
  previewToken: string | null;
}

/** `CancelSubscriptionRequest`, to be written. */
export interface CancelSubscriptionRequestInput {
  previewToken?: string | null | undefined;
}

export interface ResumeSubscriptionRequest {
  /** Of a preview of this. */
  previewToken: string | null;
}

/** `ResumeSubscriptionRequest`, to be written. */
export interface ResumeSubscriptionRequestInput {
  previewToken?: string | null | undefined;
}

export type TestClockStatus =
  /** All that was due until its time has happened. */
  | 'READY'
  | 'ADVANCING';

export interface TestClock {
  id: string;
  /** What it is called. */
  name: string;
  /** ADVANCING until all has happened that is due until the time it was moved to. */
  status: TestClockStatus | null;
  /** What time it is by this clock. It runs on, also while nobody moves it. */
  now: Date | null;
  /** Where it is being advanced to; null unless it is. */
  advancingTo: Date | null;
  /** By the real time, unlike all else. */
  createdAt: Date | null;
}

/** `TestClock`, to be written. */
export interface TestClockInput {
  id: string;
  name: string;
  status: TestClockStatus | null;
  now?: Date | null | undefined;
  advancingTo?: Date | null | undefined;
  createdAt?: Date | null | undefined;
}

export interface CreateTestClockRequest {
  /** What it is called. */
  name: string;
}

/** `CreateTestClockRequest`, to be written. */
export interface CreateTestClockRequestInput {
  name?: string | null | undefined;
}

export type GetTestClockRequest = Record<string, never>;

/** `GetTestClockRequest`, to be written. */
export type GetTestClockRequestInput = Record<string, never>;

export interface AdvanceTestClockRequest {
  /** Later than it is by the clock, by two years at most. */
  to: Date;
}

/** `AdvanceTestClockRequest`, to be written. */
export interface AdvanceTestClockRequestInput {
  to: Date;
}

export type DeleteTestClockRequest = Record<string, never>;

/** `DeleteTestClockRequest`, to be written. */
export type DeleteTestClockRequestInput = Record<string, never>;

export interface DeletedTestClock {
  /** Of the clock that is gone. */
  id: string;
  deleted: boolean;
}

/** `DeletedTestClock`, to be written. */
export interface DeletedTestClockInput {
  id: string;
  deleted: boolean;
}

export type AutomaticTopUpState =
  /** Nothing is bought unless a member buys it. */
  | 'OFF'
  /** When the balance falls to the threshold, credits are bought, once for each fall; and again where that was not enough to rise above it. */
  | 'ACTIVE'
  /** Another top-up would be more than the cap of this month: it goes on at `resumes_at`. */
  | 'CAP_REACHED'
  /** A top-up could not be paid, or a purchase was given back or is disputed (`stopped_code`). It goes on when it is set again. */
  | 'STOPPED';

export interface AutomaticTopUp {
  /** Whether credits are bought when the balance is low, or why not. */
  state: AutomaticTopUpState | null;
  /** Null where it was never set. */
  thresholdMicros: string | null;
  /** Whole credits that each top-up buys. */
  credits: number | null;
  /** ISO 4217, of the prices and the cap. */
  currency: string | null;
  /** What all top-ups of one month (UTC) may come to with tax, in minor units of the currency. */
  monthlyCapMinor: string | null;
  /** What those of this month come to in the currency, also those that are not paid yet. */
  spentThisMonthMinor: string;
  /**
   * Why it has stopped: `card_declined`, `insufficient_funds`, `payment_method_required`; `authentication_required` where the bank wants the
   * payer to confirm, who is not there: buy credits once by hand, or use another card. Null unless the state is STOPPED.
   */
  stoppedCode: string | null;
  /** When it went into this state. */
  changedAt: Date | null;
  /** Null unless the state is CAP_REACHED. */
  resumesAt: Date | null;
  /** The purchase that is under way; null: none. */
  purchaseId: string | null;
}

/** `AutomaticTopUp`, to be written. */
export interface AutomaticTopUpInput {
  state: AutomaticTopUpState | null;
  thresholdMicros?: Int64Input | null | undefined;
  credits?: number | null | undefined;
  currency?: string | null | undefined;
  monthlyCapMinor?: Int64Input | null | undefined;
  spentThisMonthMinor: Int64Input;
  stoppedCode?: string | null | undefined;
  changedAt?: Date | null | undefined;
  resumesAt?: Date | null | undefined;
  purchaseId?: string | null | undefined;
}

export type GetAutomaticTopUpRequest = Record<string, never>;

/** `GetAutomaticTopUpRequest`, to be written. */
export type GetAutomaticTopUpRequestInput = Record<string, never>;

export interface SetAutomaticTopUpRequest {
  /** The balance at which credits are bought: what is available and what is set aside for running work. 1 credit = 1,000,000 micros. */
  thresholdMicros: string;
  /** Whole credits that each top-up buys. */
  credits: number;
  /** At least what one top-up comes to. */
  monthlyCapMinor: string;
  /** As in a price preview. */
  currency: string | null;
}

/** `SetAutomaticTopUpRequest`, to be written. */
export interface SetAutomaticTopUpRequestInput {
  thresholdMicros: Int64Input;
  credits: number;
  monthlyCapMinor: Int64Input;
  currency?: string | null | undefined;
}

export type DisableAutomaticTopUpRequest = Record<string, never>;

/** `DisableAutomaticTopUpRequest`, to be written. */
export type DisableAutomaticTopUpRequestInput = Record<string, never>;

export type UsageGrouping =
  | 'day'
  | 'client_group'
  | 'api_key'
  /** By whom work was done for. Requests are not counted by member. */
  | 'member'
  /** UTC hours: at most 744 of them (31 days), of the last 90 days. */
  | 'hour';

export interface UsageRow {
  /**
   * The day (`2026-01-31`), hour (`2026-01-31T14:00:00Z`), client group, API key or member; null for what belongs to no group or
   * key, and to nobody in particular.
   */
  key: string | null;
  /** Requests that were counted. */
  requests: string;
  /** Credits of assistants, transcription and embeddings: 1 credit = 1,000,000 micros. */
  aiCreditsMicros: string;
  /** Credits of runs and kernels, in micros. */
  infrastructureCreditsMicros: string;
}

/** `UsageRow`, to be written. */
export interface UsageRowInput {
  key?: string | null | undefined;
  requests: Int64Input;
  aiCreditsMicros: Int64Input;
  infrastructureCreditsMicros: Int64Input;
}

export interface GetUsageRequest {
  /** What a row is of. */
  groupBy: UsageGrouping;
  /** Days, or hours, that begin at this moment or later, and before that one. Absent: the last 30 days, or 24 hours. */
  createdAfter: Date | null;
  createdBefore: Date | null;
  clientGroupId: string | null;
  apiKeyId: string | null;
  limit: number;
  cursor: string;
  includeTotal: boolean;
  /** What was spent for this user; requests are 0. */
  memberId: string | null;
}

/** `GetUsageRequest`, to be written. */
export interface GetUsageRequestInput {
  groupBy?: UsageGrouping | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
  memberId?: string | null | undefined;
}

export interface GetUsageResponse {
  /** Days and hours newest first. */
  usage: UsageRow[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `GetUsageResponse`, to be written. */
export interface GetUsageResponseInput {
  usage: readonly UsageRowInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface LeaseQuotaRequest {
  /** Chosen by the caller. */
  leaseId: string;
  /** Absent: the organisation's default group. */
  clientGroupId: string | null;
  apiKeyId: string | null;
  /** How many requests the caller would like to let through; none only gives back what is left of the last lease. */
  requested: number;
  /** The lease this one follows, and how much of it was used; the rest is given back. */
  lastLeaseId: string | null;
  usedOfLastLease: number;
}

/** `LeaseQuotaRequest`, to be written. */
export interface LeaseQuotaRequestInput {
  leaseId: string;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  requested: number;
  lastLeaseId?: string | null | undefined;
  usedOfLastLease?: number | null | undefined;
}

/** What a caller whose limit is near or reached is told. */
export type QuotaState =
  | 'OPEN'
  /** Four fifths of a limit are used, or a limit without a hard stop is passed: `X-Credit-Warning`. */
  | 'WARNING'
  /** A hard limit of credits is reached: 402 for what would spend them. */
  | 'OUT_OF_CREDITS'
  /** A hard limit of requests is reached: 429. */
  | 'OUT_OF_REQUESTS';

export interface QuotaLease {
  leaseId: string;
  /** Zero when a hard limit of requests is reached. */
  granted: number;
  /** Until when they may be used. */
  expiresAt: Date | null;
  state: QuotaState | null;
  /** Public text about the limit that is near or reached; empty while open. */
  message: string;
  /** The request limit of the running period and what is left of it; null without a limit. */
  requestLimit: string | null;
  requestsRemaining: string | null;
  /** When the running period ends and limits begin anew; null without a policy. */
  resetsAt: Date | null;
  /** The group it was counted for; null when the organisation has none. */
  clientGroupId: string | null;
  /** Credits of which a hard limit is reached; only in the state OUT_OF_CREDITS. */
  exhausted: CreditClass[];
}

/** `QuotaLease`, to be written. */
export interface QuotaLeaseInput {
  leaseId: string;
  granted: number;
  expiresAt?: Date | null | undefined;
  state: QuotaState | null;
  message: string;
  requestLimit?: Int64Input | null | undefined;
  requestsRemaining?: Int64Input | null | undefined;
  resetsAt?: Date | null | undefined;
  clientGroupId?: string | null | undefined;
  exhausted: readonly CreditClass[];
}

export interface UsageRecord {
  /** Chosen by the caller; counted once. */
  id: string;
  clientGroupId: string | null;
  apiKeyId: string | null;
  requests: string;
  occurredAt: Date;
}

/** `UsageRecord`, to be written. */
export interface UsageRecordInput {
  id: string;
  clientGroupId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  requests?: Int64Input | null | undefined;
  occurredAt: Date;
}

export interface RecordUsageRequest {
  records: UsageRecord[];
}

/** `RecordUsageRequest`, to be written. */
export interface RecordUsageRequestInput {
  records: readonly UsageRecordInput[];
}

export type RecordUsageResponse = Record<string, never>;

/** `RecordUsageResponse`, to be written. */
export type RecordUsageResponseInput = Record<string, never>;
