import type { Logger } from '@platform-backend/core';
import type { Delivery } from '../domain/notification.ts';
import type { NotificationMessage, Notifiers } from '../domain/notifications.ts';

export interface SlackOptions {
  readonly token: string;
  /** `https://slack.com/api`. */
  readonly url: string;
  readonly logger: Pick<Logger, 'warn'>;
}

const TIMEOUT_MS = 15_000;

/** What may be different in a moment; every other error of Slack's is about token, channel or message, and stays. */
const PASSING: readonly string[] = [
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
];

/** The kind of our messages in their metadata, which only programs see. */
const EVENT_TYPE = 'platform_notification';

/** What is looked through for a message that may have been posted before. */
const MAX_PAGES = 5;
const PAGE = 200;
/** Slack's clock may be another one. */
const EARLIER_MS = 60_000;

interface Answer {
  readonly ok?: boolean;
  readonly error?: string;
  readonly messages?: readonly Message[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

interface Message {
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly id?: unknown } };
}

/**
 * Messages by Slack's `chat.postMessage`, which knows no repetition. So one that may have been posted before is looked for
 * in the channel first, by an id in its metadata, where the token may read the channel's history (`channels:history`, and
 * `groups:history` for private ones). Where it may not the message is posted all the same, and the log says so once.
 */
export function slackApi({ token, url, logger }: SlackOptions): Notifiers['slack'] {
  let hasWarned = false;

  async function ask(method: string, body?: object): Promise<{ readonly delivery: Delivery; readonly answer: Answer }> {
    const response = await fetch(`${url}/${method}`, {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json; charset=utf-8' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 429 || response.status >= 500) {
      return { delivery: { outcome: 'RETRY', reason: `Slack answered ${String(response.status)}` }, answer: {} };
    }
    const answer = (await response.json()) as Answer;
    return { delivery: deliveryOf(answer), answer };
  }

  /** Undefined: it is to be posted, as it is not there, or nobody lets us look. */
  async function deliveredBefore(
    channel: string,
    { id, createdAt }: NotificationMessage,
  ): Promise<Delivery | undefined> {
    const oldest = String((createdAt.getTime() - EARLIER_MS) / 1000);
    for (let page = 0, cursor = ''; page < MAX_PAGES && (page === 0 || cursor !== ''); page += 1) {
      const wanted = { channel, oldest, cursor, limit: String(PAGE), include_all_metadata: 'true' };
      const { delivery, answer } = await ask(`conversations.history?${new URLSearchParams(wanted).toString()}`);
      if (delivery.outcome === 'RETRY') return delivery;
      if (delivery.outcome === 'GIVE_UP') {
        warnOnce(channel, answer);
        return undefined;
      }
      if (answer.messages?.some((message) => isOurs(message, id))) return delivery;
      cursor = answer.response_metadata?.next_cursor ?? '';
    }
    return undefined;
  }

  function warnOnce(channel: string, { error }: Answer): void {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn(
      { event: 'slack.scope_missing', channel, error },
      'Slack does not let messages be looked for that may have been posted before, so that some may come twice: ' +
        'the token needs channels:history, and groups:history for private channels',
    );
  }

  return async ({ channelId: channel }, letter) => {
    const before = letter.takes > 1 ? await deliveredBefore(channel, letter) : undefined;
    if (before) return before;
    const { delivery } = await ask('chat.postMessage', {
      channel,
      text: `*${escaped(letter.title)}*\n${escaped(letter.text)}`,
      metadata: { event_type: EVENT_TYPE, event_payload: { id: letter.id } },
      unfurl_links: false,
      unfurl_media: false,
    });
    return delivery;
  };
}

const isOurs = ({ metadata }: Message, id: string): boolean =>
  metadata?.event_type === EVENT_TYPE && metadata.event_payload?.id === id;

function deliveryOf({ ok, error = 'unknown' }: Answer): Delivery {
  if (ok) return { outcome: 'SENT' };
  return { outcome: PASSING.includes(error) ? 'RETRY' : 'GIVE_UP', reason: `Slack refused it: ${error}` };
}

/** Slack's own three characters, so that no answer mentions anybody or makes a link. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
