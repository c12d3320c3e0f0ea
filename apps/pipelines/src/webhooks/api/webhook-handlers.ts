import type { WebhookDeliveryInput, WebhookInput, WebhookServiceHandlers } from '@platform-backend/contract-pipelines';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { WebhookUseCases } from '../app/webhooks.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { Webhook } from '../domain/webhook.ts';

/** Where organisations have told how runs and executions end. */
export const webhookHandlers = (app: WebhookUseCases): WebhookServiceHandlers<CallContext> => ({
  async createWebhook(settings, context) {
    const { secret, ...webhook } = await app.createWebhook(context.actorContext(), settings);
    return { ...webhookMessage(webhook), secret };
  },

  listWebhooks: async (page, context) =>
    listAnswer('webhooks', await app.listWebhooks(context.organisationId(), page), webhookMessage),

  getWebhook: async ({ webhookId }, context) =>
    webhookMessage(await app.getWebhook(context.organisationId(), webhookId)),

  async updateWebhook({ webhookId, updateMask, ...given }, context) {
    const wanted = fieldsGiven(updateMask, given);
    return webhookMessage(await app.updateWebhook(context.actorContext(), webhookId, wanted));
  },

  async deleteWebhook({ webhookId }, context) {
    const { id } = await app.deleteWebhook(context.actorContext(), webhookId);
    return { id, deleted: true };
  },

  async rotateWebhookSecret({ webhookId, overlapSeconds }, context) {
    const { secret, ...webhook } = await app.rotateSecret(context.actorContext(), webhookId, overlapSeconds);
    return { ...webhookMessage(webhook), secret };
  },

  testWebhook: async ({ webhookId }, context) =>
    deliveryMessage(await app.testWebhook(context.organisationId(), webhookId)),

  listWebhookDeliveries: async ({ webhookId, status, ...page }, context) =>
    listAnswer(
      'deliveries',
      await app.listDeliveries(context.organisationId(), webhookId, status, page),
      deliveryMessage,
    ),

  redeliverWebhook: async ({ webhookId, deliveryId }, context) =>
    deliveryMessage(await app.redeliver(context.organisationId(), webhookId, deliveryId)),
});

const webhookMessage = ({ id, description, url, enabled, createdAt, updatedAt }: Webhook): WebhookInput => ({
  ...{ id, description, url, enabled, createdAt, updatedAt },
});

const deliveryMessage = ({
  webhookId: _webhook,
  tries: _tries,
  attempts,
  ...delivery
}: WebhookDelivery): WebhookDeliveryInput => ({
  ...delivery,
  attempts: attempts.map(({ at, ...attempt }) => ({ ...attempt, at: new Date(at) })),
});
