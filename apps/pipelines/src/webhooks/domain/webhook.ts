import {
  changedFields,
  created,
  decided,
  deleted,
  unchanged,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import { tooManyWebhooks } from './errors.ts';

/** An address of an organisation that is told how runs and executions end. */
export interface Webhook {
  readonly id: string;
  readonly description: string;
  readonly url: string;
  readonly enabled: boolean;
  /** What deliveries are signed with, sealed. */
  readonly sealedSecret: string;
  /** The one before, with which they are signed as well until `formerUntil`. */
  readonly formerSealedSecret: string | null;
  readonly formerUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What its secrets are sealed for: copied to another webhook, or another organisation's, they open for nobody. */
export const secretContext = (organisationId: string, id: string): string => `webhook/${organisationId}/${id}`;

export type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'enabled'>;

/** The most that an organisation has. */
export const MAX_WEBHOOKS = 20;

/** CONFLICT: there are as many as there may be. */
export function createWebhook(
  present: number,
  made: Pick<Webhook, 'id' | 'url' | 'description' | 'sealedSecret'>,
  at: Date,
): Decision<Webhook, PipelinesEvent> {
  if (present >= MAX_WEBHOOKS) throw tooManyWebhooks({ max: MAX_WEBHOOKS });
  const webhook: Webhook = {
    ...made,
    enabled: true,
    formerSealedSecret: null,
    formerUntil: null,
    createdAt: at,
    updatedAt: at,
  };
  return created('webhook.created', webhook, at, { webhook_id: webhook.id }, shown(webhook));
}

/** Changes the fields given; the same values again change nothing and are no event. */
export function changeWebhook(
  webhook: Webhook,
  wanted: Partial<WebhookSettings>,
  at: Date,
): Decision<Webhook, PipelinesEvent> {
  const next: Webhook = { ...webhook, ...wanted, updatedAt: at };
  const names = Object.keys(changedFields(settingsOf(webhook), settingsOf(next)).after);
  if (names.length === 0) return unchanged(webhook);
  return decided(next, {
    name: 'webhook.updated',
    subject: webhook.id,
    at,
    data: { webhook_id: webhook.id, changed_fields: names },
    change: changedFields(shown(webhook), shown(next)),
  });
}

/** Signs with another secret, and for a while with the present one as well. */
export function rotateSecret(
  webhook: Webhook,
  sealedSecret: string,
  overlapSeconds: number,
  at: Date,
): Decision<Webhook, PipelinesEvent> {
  const overlaps = overlapSeconds > 0;
  const next: Webhook = {
    ...webhook,
    sealedSecret,
    formerSealedSecret: overlaps ? webhook.sealedSecret : null,
    formerUntil: overlaps ? new Date(at.getTime() + overlapSeconds * 1000) : null,
    updatedAt: at,
  };
  return decided(next, {
    name: 'webhook.secret_rotated',
    subject: webhook.id,
    at,
    data: { webhook_id: webhook.id, overlap_seconds: overlapSeconds },
    change: { before: {}, after: { overlap_seconds: overlapSeconds } },
  });
}

export const deleteWebhook = (
  webhook: Webhook,
  at: Date,
): Decision<undefined, PipelinesEvent, { readonly id: string }> =>
  deleted('webhook.deleted', webhook, at, { webhook_id: webhook.id }, shown(webhook));

/** The sealed secrets that a delivery is signed with now, the present one first. */
export const signingSecrets = ({ sealedSecret, formerSealedSecret, formerUntil }: Webhook, at: Date): string[] =>
  formerSealedSecret !== null && formerUntil !== null && at < formerUntil
    ? [sealedSecret, formerSealedSecret]
    : [sealedSecret];

const settingsOf = ({ url, description, enabled }: WebhookSettings): Fields => ({ url, description, enabled });

/** What the audit log shows of it: of an address where it is, as paths and queries of webhooks often are secrets themselves. */
const shown = ({ url, description, enabled }: WebhookSettings): Fields => ({
  host: new URL(url).host,
  description,
  enabled,
});
