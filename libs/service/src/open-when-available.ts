import { DomainError, type Logger } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds that a service waits for a database which starts beside it; less than an orchestrator gives a start. */
const START_LIMIT_MS = 25_000;
const PAUSE_MS = 500;

interface OpenWhenAvailable<Opened> {
  readonly open: () => Promise<Opened>;
  readonly logger: Logger;
  readonly limitMs?: number;
  readonly pauseMs?: number;
}

/** Opens what may not be there yet. Whatever else is wrong with it is thrown at once, and that it is away when the time is up. */
export async function openWhenAvailable<Opened>({
  open,
  logger,
  limitMs = START_LIMIT_MS,
  pauseMs = PAUSE_MS,
}: OpenWhenAvailable<Opened>): Promise<Opened> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isUnavailable = error instanceof DomainError && error.kind === 'unavailable';
      if (!isUnavailable || performance.now() >= endsAt) throw error;
      logger.warn({ event: 'database.unreachable', err: error }, 'the database is waited for');
      await delay(pauseMs);
    }
  }
}
