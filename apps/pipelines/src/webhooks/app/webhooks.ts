import { invalidField, newId, type ActorContext, type Clock, type Page } from '@platform-backend/core';
import { webhooksOf, type NotificationSetting } from '../../notifications/domain/notification.ts';
import { redeliver, testDelivery, type WebhookDelivery } from '../domain/webhook-delivery.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  rotateSecret,
  type Webhook,
  type WebhookSettings,
} from '../domain/webhook.ts';
import type { WebhookDeliveries, WebhookPage, Webhooks } from '../domain/webhooks.ts';

export interface WebhookPorts {
  readonly webhooks: Webhooks;
  readonly deliveries: WebhookDeliveries;
  /** Why the platform may not call it; undefined: it may, as far as that can be seen. */
  readonly urlRefusal: (url: string) => string | undefined;
  readonly newSecret: () => string;
  /** NOT_PROVIDED: there is no key. */
  readonly seal: (organisationId: string, id: string, secret: string) => string;
  readonly clock: Clock;
}

/** A webhook, and what nobody is shown again. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
}

export type WebhookUseCases = ReturnType<typeof webhookUseCases>;

export function webhookUseCases(ports: WebhookPorts) {
  const { webhooks, deliveries, urlRefusal, newSecret, seal, clock } = ports;

  function requireUrl(url: string | undefined): void {
    const refusal = url === undefined ? undefined : urlRefusal(url);
    if (refusal === undefined) return;
    throw invalidField(['body', 'url'], refusal, url);
  }

  return {
    /** INVALID: an address that the platform does not call. CONFLICT: there are too many. */
    async createWebhook(
      by: ActorContext,
      settings: Pick<WebhookSettings, 'url' | 'description'>,
    ): Promise<WebhookWithSecret> {
      requireUrl(settings.url);
      const [id, secret] = [newId(), newSecret()];
      const sealedSecret = seal(by.organisationId, id, secret);
      const made = { ...settings, id, sealedSecret };
      return { ...(await webhooks.add(by, (present) => createWebhook(present, made, clock.now()))), secret };
    },

    listWebhooks: (organisationId: string, page: WebhookPage): Promise<Page<Webhook>> =>
      webhooks.list(organisationId, page),

    getWebhook: (organisationId: string, id: string): Promise<Webhook> => webhooks.get(organisationId, id),

    updateWebhook(by: ActorContext, id: string, wanted: Partial<WebhookSettings>): Promise<Webhook> {
      requireUrl(wanted.url);
      return webhooks.update(by, id, (webhook) => changeWebhook(webhook, wanted, clock.now()));
    },

    deleteWebhook: (by: ActorContext, id: string) =>
      webhooks.remove(by, id, (webhook) => deleteWebhook(webhook, clock.now())),

    async rotateSecret(by: ActorContext, id: string, overlapSeconds: number): Promise<WebhookWithSecret> {
      const secret = newSecret();
      const sealedSecret = seal(by.organisationId, id, secret);
      const rotated = await webhooks.update(by, id, (webhook) =>
        rotateSecret(webhook, sealedSecret, overlapSeconds, clock.now()),
      );
      return { ...rotated, secret };
    },

    testWebhook(organisationId: string, id: string): Promise<WebhookDelivery> {
      const deliveryId = newId();
      return deliveries.addTest(organisationId, id, (webhook, pending) =>
        testDelivery(webhook, pending, deliveryId, clock.now()),
      );
    },

    async listDeliveries(
      organisationId: string,
      id: string,
      statuses: readonly WebhookDelivery['status'][],
      page: WebhookPage,
    ): Promise<Page<WebhookDelivery>> {
      await webhooks.get(organisationId, id);
      return deliveries.list(organisationId, id, statuses, page);
    },

    redeliver: (organisationId: string, id: string, deliveryId: string): Promise<WebhookDelivery> =>
      deliveries.change(organisationId, id, deliveryId, (delivery, webhook) =>
        redeliver(delivery, webhook, clock.now()),
      ),

    /** INVALID: settings name a webhook that the organisation does not have. */
    async requireWebhooks(organisationId: string, settings: readonly NotificationSetting[]): Promise<void> {
      const ids = webhooksOf(settings);
      if (ids.length === 0) return;
      const known = await webhooks.known(organisationId, ids);
      const unknown = ids.find((id) => !known.has(id));
      if (unknown === undefined) return;
      throw invalidField(['body', 'notification_settings'], 'the organisation has no webhook of this id', unknown);
    },
  };
}
