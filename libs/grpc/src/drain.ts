import type { Server } from '@grpc/grpc-js';
import { DomainError, type Logger } from '@platform-backend/core';
import { draining } from './errors.ts';

/** What streams get before the limit to say why they end. */
const LAST_WORDS_MS = 1_000;
/** How often at most connections that have been made meanwhile are told to go. */
const TELL_AGAIN_TIMES = 8;

/** What is still being answered; streams can be ended before they end by themselves. */
type CallsInFlight = ReadonlySet<{ readonly end?: ((reason: DomainError) => void) | undefined }>;

/**
 * Refuses new calls and waits for those in flight, until the other side of every connection has read all answers and closed it;
 * at `limitMs` closes them regardless. Whoever went before would take answers along that were not read yet: the other side
 * loses them when it writes to a connection that is no more. Streams that are open near the limit end a moment before it
 * with `unavailable`, so that whoever reads them knows to come back.
 */
export async function drain(
  server: Server,
  inFlight: CallsInFlight,
  { limitMs, logger }: { limitMs: number; logger: Logger },
): Promise<void> {
  const closed = new Promise<true>((resolve) => server.tryShutdown(() => resolve(true)));
  const deadline = Date.now() + limitMs;
  const streamsEndAt = deadline - Math.min(LAST_WORDS_MS, limitMs / 2);
  while (Date.now() < streamsEndAt) {
    if (await within(closed, Math.min(streamsEndAt - Date.now(), limitMs / TELL_AGAIN_TIMES))) return;
    // TLS may have been agreed upon only now, and the connection knows nothing of the end.
    server.tryShutdown(() => undefined);
  }
  const reason = draining();
  for (const { end } of inFlight) end?.(reason);
  if (await within(closed, deadline - Date.now())) return;
  if (inFlight.size > 0)
    logger.warn({ event: 'grpc.calls_cut_off', inFlight: inFlight.size }, 'calls were cut off at the drain limit');
  server.forceShutdown();
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(ms, 0));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
