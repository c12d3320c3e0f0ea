import { identityEvents } from '@platform-backend/contract-identity';
import type { Logger } from '@platform-backend/core';
import { isOf, subscribe, type EventBus } from '@platform-backend/events';
import { eventAccess } from '../event-access.ts';
import type { CallerCache } from './caller-cache.ts';

/** Told of founders as well. */
const memberAdded = identityEvents('member.added');

export interface RevocationOptions {
  readonly bus: EventBus;
  readonly callers: CallerCache;
  readonly logger: Logger;
  readonly revoked: () => void;
}

/**
 * Forgets the callers of an organisation as soon as an event says that their rights have changed, and
 * whoever has joined or founded one wherever else they act: with one more organisation to choose from,
 * a request that names none means another one than before, or none at all.
 * Only a head start: without events a caller is asked for again before the promised time is over, so
 * the gateway starts and serves while NATS is away.
 */
export function followRevocations({ bus, callers, logger, revoked }: RevocationOptions): () => Promise<void> {
  const subscriptions = eventAccess.follows.map((on) =>
    subscribe({
      bus,
      logger,
      on,
      onEvent: (event) => {
        callers.dropOrganisation(event.organisationId);
        if (isOf(event, memberAdded)) callers.dropUser(event.data.user_id);
        revoked();
      },
    }),
  );
  return async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  };
}
