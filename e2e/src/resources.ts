/** The JSON that the journeys read, as spec and contract describe it. */

export type Organisation = {
  id: string;
  name: string;
  email: string;
  image_url: string;
  members: { id: string; user: { id: string; name: string; email: string }; permission_level: string }[];
  subscription_tier: string;
  max_member_limit: number;
  seats_renewal_enabled: boolean;
  seats_renewal_cycle: string;
  seats_expired_at: string | null;
  has_plan: boolean;
};

export type Subscription = {
  tier: string;
  seat_count: number;
  status: string;
  pending_tier: string | null;
  grace_ends_at: string | null;
  current_period_end: string;
  trial_ends_at: string | null;
  plan_credits_micros: number;
};

export type PaymentMethod = { id: string; is_default: boolean; last_four: string };

export type Refund = {
  id: string;
  status: string;
  amount_minor: number;
  tax_minor: number;
  credits_micros: number;
  balance_minor: number;
  credit_note_id: string | null;
};
export type CreditNote = { id: string; number: string; invoice_number: string; total_minor: number };
export type TestClock = { id: string; status: string; now: string; advancing_to: string | null };
export type Invoice = {
  id: string;
  number: string;
  status: string;
  currency: string;
  total: number;
  refunded_minor: number;
  total_minor: number;
};

/** Major units. */
export type Price = { subtotal: number; tax: number; total: number };

export type SubscriptionPreview = Price & {
  changes: boolean;
  seat_count: number;
  currency: string;
  total_minor: number;
  subtotal_minor: number;
  renewal_total_minor: number | null;
  trial_ends_at: string | null;
  token: string;
};

export type CreditBalance = { available_micros: number; reserved_micros: number };

export type CreditPurchase = Price & {
  id: string;
  status: string;
  credits: number;
  currency: string;
  client_secret: string | null;
  origin: string;
};

export type BalanceAlert = { id: string; threshold_micros: number; state: string; last_crossed_at: string | null };

export type BillingMail = { kind: string; status: string; recipients: string[] };

export type AutomaticTopUp = {
  state: string;
  credits: number | null;
  spent_this_month_minor: number;
  stopped_code: string | null;
};

export type CreditTransaction = {
  id: string;
  kind: string;
  available_change_micros: number;
  reserved_change_micros: number;
  available_after_micros: number;
  grant_id: string | null;
};

export type CreditGrant = { id: string; kind: string; amount_micros: number; remaining_micros: number };

export type UsageRow = { key: string | null; requests: number };

/** A client group as a list shows it. */
export type ClientGroupSummary = {
  id: string;
  name: string;
  member_count: number;
  workspace_count: number;
};

export type ClientGroup = {
  id: string;
  name: string;
  description: string;
  archived: boolean;
  is_default: boolean;
  members: { id: string; email: string; status: string }[];
  workspaces: { id: string; access_level: string }[];
  policy: Record<string, unknown> | null;
  usage: Record<string, unknown>;
  asset_access: Record<string, string>[];
  folder_access: Record<string, string>[];
  file_access: Record<string, string>[];
};

export type ApiKey = {
  id: string;
  name: string;
  key_prefix: string;
  created_at: string;
  scopes: string[];
  expires_at: string | null;
  client_group_id: string | null;
};

export type CreatedApiKey = ApiKey & { api_key: string };

export type Member = { id: string; email: string; permission_level: string; status: string };

export type Invitation = { id: string; organisation_id: string; permission_level: string };

/** What every refusal looks like, but for 422. */
export type Refusal = { detail: string; code?: string };

export type ValidationRefusal = { detail: { type: string; loc: (string | number)[]; msg: string }[] };

export type Convention = {
  id: string;
  title: string;
  content: string;
  organisation_id: string;
  created_at: string;
  updated_at: string;
  embedding: number[];
};

export type ConventionVersion = { actor_name: string; changed_fields: string[]; title: string; content: string };

type Quote = { text: string; start: number; end: number; highlights: { start: number; end: number }[] };

export type FoundConventions = { hits: { convention: Convention; quote: Quote; score: number }[] };

export type Found = { hits: { kind: string; id: string; page: number | null; quote: Quote }[]; mode: string };
