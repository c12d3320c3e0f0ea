import type { Server } from '@grpc/grpc-js';
import type { Logger } from '@platform/core';

/** After the last call its answer is still on its way; and streams of health watchers never end by themselves. */
const FLUSH_MS = 200;
const POLL_MS = 10;

/** Refuses new calls, waits for those in flight, then closes every connection; at `limitMs` regardless. */
export async function drain(
  server: Server,
  inFlight: () => number,
  { limitMs, logger }: { limitMs: number; logger: Logger },
): Promise<void> {
  const closed = new Promise<'closed'>((resolve) => server.tryShutdown(() => resolve('closed')));
  const deadline = Date.now() + limitMs;
  while (inFlight() > 0 && Date.now() < deadline) {
    if ((await within(closed, POLL_MS)) === 'closed') return;
  }
  if (inFlight() > 0) logger.warn({ inFlight: inFlight() }, 'calls were cut off at the drain limit');
  else await within(closed, Math.min(FLUSH_MS, Math.max(deadline - Date.now(), 0)));
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
