/**
 * Makes the event streams, or brings them to the limits of now, and ends: a job that runs before the services, with the
 * operator's password. Services may not make streams.
 */
import { readConfiguration, url } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { setUpStreams, streamSettings } from '@platform-backend/events/set-up';

/** A cluster that has just started needs a moment to choose its leader. */
const LIMIT_MS = 60_000;

export const streamJobSettings = {
  NATS_URL: url({
    protocols: ['nats', 'tls'],
    example: 'nats://operator:password@127.0.0.1:4222',
    description: 'NATS, as its operator',
  }),
  ...streamSettings,
} as const;

if (import.meta.main) {
  const logger = createLogger({ service: 'event-streams' });
  try {
    const { NATS_URL: servers, NATS_STREAM_REPLICAS: replicas } = readConfiguration(process.env, streamJobSettings);
    await setUpStreams({ servers, limits: { replicas }, signal: AbortSignal.timeout(LIMIT_MS) });
    logger.info('the event streams are ready');
  } catch (error) {
    logger.fatal({ event: 'streams.set_up_failed' }, error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
