import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, any of which could take one before its server does. */
const lowest = 15_000;
const highest = 32_000;
const attempts = 100;

/**
 * A loopback port that nobody listened on a moment ago. Another process may take it before the
 * caller does, so a caller that can retry with a new port should.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${lowest} to ${highest}`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
