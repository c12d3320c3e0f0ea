import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { DueItem } from '../../notifications/domain/notifications.ts';
import type { WebhookAnswer, WebhookDelivery } from './webhook-delivery.ts';
import type { Webhook } from './webhook.ts';

export interface WebhookPage extends PageRequest {
  readonly order: 'asc' | 'desc';
}

/** The webhooks of organisations. */
export interface Webhooks {
  /** NOT_FOUND: there is none. */
  readonly get: (organisationId: string, id: string) => Promise<Webhook>;
  readonly list: (organisationId: string, page: WebhookPage) => Promise<Page<Webhook>>;
  /** Those of these ids that are there. */
  readonly known: (organisationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Decides by how many there are, which nobody changes meanwhile. */
  readonly add: (by: ActorContext, decide: (present: number) => Decision<Webhook, PipelinesEvent>) => Promise<Webhook>;
  readonly update: (
    by: ActorContext,
    id: string,
    decide: (webhook: Webhook) => Decision<Webhook, PipelinesEvent>,
  ) => Promise<Webhook>;
  readonly remove: (
    by: ActorContext,
    id: string,
    decide: (webhook: Webhook) => Decision<undefined, PipelinesEvent, { readonly id: string }>,
  ) => Promise<{ readonly id: string }>;
}

/** One that somebody sends now, and where to. */
export interface TakenDelivery {
  readonly delivery: WebhookDelivery;
  readonly webhook: Webhook;
}

/** What webhooks were and are to be told. */
export interface WebhookDeliveries {
  readonly list: (
    organisationId: string,
    webhookId: string,
    statuses: readonly WebhookDelivery['status'][],
    page: WebhookPage,
  ) => Promise<Page<WebhookDelivery>>;
  /** Decides by how many tests are pending, which nobody changes meanwhile. */
  readonly addTest: (
    organisationId: string,
    webhookId: string,
    decide: (webhook: Webhook, pending: number) => WebhookDelivery,
  ) => Promise<WebhookDelivery>;
  /** NOT_FOUND: there is no such webhook or delivery. */
  readonly change: (
    organisationId: string,
    webhookId: string,
    id: string,
    decide: (delivery: WebhookDelivery, webhook: Webhook) => WebhookDelivery,
  ) => Promise<WebhookDelivery>;
  /** Of no organisation that is `busy`. */
  readonly due: (at: Date, limit: number, busy: readonly string[]) => Promise<readonly DueItem[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /** Null: somebody else is at it, or it is not its time. */
  readonly take: (
    due: DueItem,
    decide: (delivery: WebhookDelivery) => WebhookDelivery | null,
  ) => Promise<TakenDelivery | null>;
  readonly update: (due: DueItem, decide: (delivery: WebhookDelivery) => WebhookDelivery) => Promise<void>;
  readonly forget: (before: Date) => Promise<unknown>;
}

/** Sends one attempt; never fails. */
export type PostDelivery = (organisationId: string, taken: TakenDelivery, at: Date) => Promise<WebhookAnswer>;
