import type { Server } from '@grpc/grpc-js';
import { DomainError, type Logger } from '@platform-backend/core';
import { draining } from './errors.ts';

/** After the last call its answer is still on its way; and streams of health watchers never end by themselves. */
const FLUSH_MS = 200;
const POLL_MS = 10;

/** What streams get before the limit to say why they end. */
const LAST_WORDS_MS = 1_000;

/** What is still being answered; streams can be ended before they end by themselves. */
type CallsInFlight = ReadonlySet<{ readonly end?: ((reason: DomainError) => void) | undefined }>;

/**
 * Refuses new calls, waits for those in flight, then closes every connection; at `limitMs` regardless. A call that had come and was not read yet
 * begins a moment later, so that it is over when nothing has been in flight for that long. Streams that are
 * open by then end a moment earlier with `unavailable`, so that whoever reads them knows to come back.
 */
export async function drain(
  server: Server,
  inFlight: CallsInFlight,
  { limitMs, logger }: { limitMs: number; logger: Logger },
): Promise<void> {
  const closed = new Promise<'closed'>((resolve) => server.tryShutdown(() => resolve('closed')));
  const deadline = Date.now() + limitMs;
  const streamsEndAt = deadline - Math.min(LAST_WORDS_MS, limitMs / 2);
  let quietSince = Date.now();
  while (Date.now() < deadline && (inFlight.size > 0 || Date.now() - quietSince < FLUSH_MS)) {
    if ((await within(closed, POLL_MS)) === 'closed') return;
    if (inFlight.size === 0) continue;
    quietSince = Date.now();
    if (quietSince < streamsEndAt) continue;
    const reason = draining();
    for (const { end } of inFlight) end?.(reason);
  }
  if (inFlight.size > 0)
    logger.warn({ event: 'grpc.calls_cut_off', inFlight: inFlight.size }, 'calls were cut off at the drain limit');
  server.forceShutdown();
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
