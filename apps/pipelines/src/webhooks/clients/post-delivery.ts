import { SecretUnreadable } from '@platform-backend/core/secret-box';
import { AddressRefused, discardBody, networkErrorCode, type OutboundFetch } from '@platform-backend/outbound';
import type { WebhookAnswer } from '../domain/webhook-delivery.ts';
import { signingSecrets } from '../domain/webhook.ts';
import type { PostDelivery } from '../domain/webhooks.ts';
import { signatureHeaders } from './signature.ts';

export interface PostDeliveryOptions {
  readonly fetch: OutboundFetch;
  /** @throws SecretUnreadable */
  readonly open: (organisationId: string, webhookId: string, sealed: string) => string;
  readonly timeoutMs: number;
}

/** The receiver does not want it, now or ever. */
const GONE = 410;

/** Sends a delivery over the internet. Of what a receiver answers only the status is looked at. */
export const postDelivery =
  ({ fetch, open, timeoutMs }: PostDeliveryOptions): PostDelivery =>
  async (organisationId, { webhook, delivery }, at) => {
    const begun = performance.now();
    const ended = (answer: Omit<WebhookAnswer, 'durationMs'>): WebhookAnswer => ({
      ...answer,
      durationMs: Math.round(performance.now() - begun),
    });
    try {
      const secrets = signingSecrets(webhook, at).map((sealed) => open(organisationId, webhook.id, sealed));
      const response = await fetch(webhook.url, {
        method: 'POST',
        body: delivery.payload,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'platform-webhooks',
          ...signatureHeaders({ ...delivery, at }, secrets),
        },
        // Elsewhere nobody has agreed to be told, and most redirects would make a GET of it.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await discardBody(response);
      const { status } = response;
      if (status >= 200 && status < 300) return ended({ outcome: 'SENT', error: null, statusCode: status });
      const error = `It answered ${String(status)}`;
      return ended({ outcome: status === GONE ? 'GIVE_UP' : 'RETRY', error, statusCode: status });
    } catch (error) {
      return ended({ outcome: 'RETRY', error: reasonOf(error, timeoutMs), statusCode: null });
    }
  };

/** What whoever keeps the receiver can do something about. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof AddressRefused) return error.message;
  if (error instanceof SecretUnreadable) return 'Its secret cannot be read any more: rotate it';
  if ((error as { readonly name?: unknown }).name === 'TimeoutError')
    return `It gave no answer within ${String(timeoutMs / 1000)} seconds`;
  const code = networkErrorCode(error);
  return code === undefined ? 'It cannot be reached, or does not speak HTTP' : `It cannot be reached (${code})`;
}
