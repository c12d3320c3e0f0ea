import { createLogger } from '@platform-backend/core/logger';
import { openEventBus, subscribe, type DeliveredEvent } from '@platform-backend/events';

/** Listens to what is published from now on at a NATS without users: of the platform's own one each service sees its part alone. */
export async function listenTo(natsUrl: string, on: string, heard: (event: DeliveredEvent) => void) {
  const logger = createLogger({ service: 'e2e', level: 'silent' });
  const bus = openEventBus({ servers: natsUrl, name: 'e2e', logger });
  const listening = await new Promise<ReturnType<typeof subscribe>>((resolve) => {
    const subscription = subscribe({ bus, logger, on, onEvent: heard, onConnected: () => resolve(subscription) });
  });
  return async (): Promise<void> => {
    await listening.close();
    await bus.close();
  };
}
