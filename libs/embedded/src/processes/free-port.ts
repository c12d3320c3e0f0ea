import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, any of which could take one before its server does. */
const lowest = 15_000;
const highest = 32_000;
const attempts = 100;

/** What is planned for one server is free until it listens, and must not be planned for another one. */
const planned = new Set<number>();

/**
 * A loopback port that nobody listened on a moment ago, and that this process was not given before. Another process may take
 * it before the caller does, so a caller that can retry with a new port should.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (planned.has(port)) continue;
    planned.add(port);
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
