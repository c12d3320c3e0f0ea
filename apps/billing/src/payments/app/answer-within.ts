import { withoutCaller } from '@platform-backend/core';

/** How long a request waits for the processor, in milliseconds; shorter than the gateway waits for the request. */
const timeoutMs = 7_000;

/**
 * What the work answers; null when that takes longer than a caller waits. The work goes on by itself then, and what it comes
 * to is found out by the schedule.
 */
export async function answerInTime<Answer>(work: () => Promise<Answer>): Promise<Answer | null> {
  const working = withoutCaller(work);
  working.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  try {
    return await Promise.race([working, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
