import { secretBox } from '@platform-backend/core/secret-box';
import { addressPolicy, outboundFetch } from '@platform-backend/outbound';
import type { Area } from '@platform-backend/service';
import type { NotificationSetting } from '../notifications/domain/notification.ts';
import type { PipelinesContext, service } from '../service.ts';
import { webhookHandlers } from './api/webhook-handlers.ts';
import { forgetDeliveries, sendWebhooks } from './app/send-webhooks.ts';
import { webhookUseCases } from './app/webhooks.ts';
import { postDelivery } from './clients/post-delivery.ts';
import { newWebhookSecret } from './clients/signature.ts';
import { secretContext } from './domain/webhook.ts';
import { webhookDeliveriesStore } from './store/webhook-deliveries-store.ts';
import { removeWebhooks, webhooksStore } from './store/webhooks-store.ts';

export type WebhooksExports = ReturnType<typeof webhooksArea>['exports'];

/** Receivers answer at once and work afterwards. */
const TIMEOUT_MS = 10_000;
/** Nothing of an answer is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
const HOUR_MS = 60 * 60_000;

/** Webhooks: addresses of organisations that are told how runs and executions end, signed, and again until they have heard it. */
export const webhooksArea = ({ settings, storage: { database }, clock, logger }: PipelinesContext) => {
  const [webhooks, deliveries] = [webhooksStore(database), webhookDeliveriesStore(database)];
  const policy = addressPolicy(settings.OUTBOUND_ALLOWED_HOSTS);
  const box = secretBox({ key: settings.SECRETS_KEY, otherKey: settings.SECRETS_KEY_OTHER });
  const post = postDelivery({
    fetch: outboundFetch({ policy, maxBytes: MAX_ANSWER_BYTES }),
    open: (organisationId, id, sealed) => box.open(sealed, secretContext(organisationId, id)),
    timeoutMs: TIMEOUT_MS,
  });
  const sending = { deliveries, post, clock, random: Math.random };
  const app = webhookUseCases({
    webhooks,
    deliveries,
    urlRefusal: policy.urlRefusal,
    newSecret: newWebhookSecret,
    seal: (organisationId, id, secret) => box.seal(secret, secretContext(organisationId, id)),
    clock,
  });
  return {
    handlers: { WebhookService: webhookHandlers(app) },
    jobs: [
      {
        name: 'the sending of webhooks',
        everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
        run: (stopping) => sendWebhooks(sending, logger, stopping),
        untilDueMs: () => deliveries.untilDue(clock.now()),
      },
      { name: 'the removal of old deliveries', everyMs: HOUR_MS, run: () => forgetDeliveries(sending) },
    ],
    removeOrganisation: removeWebhooks,
    exports: {
      requireWebhooks: (organisationId: string, settings: readonly NotificationSetting[]) =>
        app.requireWebhooks(organisationId, settings),
    },
  } satisfies Area<typeof service.declaration>;
};
