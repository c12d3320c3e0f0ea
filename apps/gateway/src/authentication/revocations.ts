import type { Logger } from '@platform-backend/core';
import { subscribe, type EventBus } from '@platform-backend/events';
import { eventAccess } from '../event-access.ts';
import type { CallerCache } from './caller-cache.ts';
import { callersConcerned } from './callers-concerned.ts';

export interface RevocationOptions {
  readonly bus: EventBus;
  readonly callers: CallerCache;
  readonly logger: Logger;
  readonly revoked: () => void;
}

/**
 * Forgets whoever has other rights than before as soon as an event says so: one key, or one person with the keys that act for them, and
 * in every organisation, as with one more or less to choose from a request that names none means another one than before, or none at all.
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
        const concerned = callersConcerned(event);
        if (!concerned) return;
        if ('organisationId' in concerned) callers.dropOrganisation(concerned.organisationId);
        else if ('userId' in concerned) callers.dropUser(concerned.userId);
        else callers.dropApiKey(concerned.apiKeyId);
        revoked();
      },
    }),
  );
  return async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  };
}
