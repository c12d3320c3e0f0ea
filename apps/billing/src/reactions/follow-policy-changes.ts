import type { Logger } from '@platform/core';
import { subscribe, type EventBus, type Subscription } from '@platform/events';
import type { PolicyNews } from '../app/usage/recent-policies.ts';

export interface PolicyChanges {
  readonly bus: EventBus;
  readonly logger: Logger;
  /** The events that say so. */
  readonly on: string;
  readonly news: PolicyNews;
}

/** Hears of every change of a client group, so that its policy is asked for again at once and otherwise seldom. */
export const followPolicyChanges = ({ bus, logger, on, news }: PolicyChanges): Subscription =>
  subscribe({
    bus,
    logger,
    on,
    onEvent: ({ organisationId }) => news.changed(organisationId),
    onConnected: () => news.flows(),
    onDisconnected: () => news.interrupted(),
  });
