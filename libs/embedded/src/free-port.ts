import { createServer } from 'node:net';

/**
 * A loopback port that nobody listened on a moment ago. Another process may take it before the
 * caller does, so a caller that can retry with a new port should.
 */
export async function freePort(): Promise<number> {
  const probe = createServer();
  return await new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('the operating system gave no port'));
      });
    });
  });
}
