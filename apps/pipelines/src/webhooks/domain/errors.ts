import { declareError } from '@platform-backend/core';

export const webhookNotFound = declareError('not_found', 'webhook_not_found', 'Webhook not found');
export const webhookDeliveryNotFound = declareError(
  'not_found',
  'webhook_delivery_not_found',
  'Webhook delivery not found',
);
export const tooManyWebhooks = declareError('conflict', 'too_many_webhooks', 'An organisation may have {max} webhooks');
export const webhookDisabled = declareError('conflict', 'webhook_disabled', 'The webhook is not enabled');
export const tooManyTestDeliveries = declareError(
  'conflict',
  'too_many_test_deliveries',
  '{max} test deliveries of this webhook are pending already',
);
