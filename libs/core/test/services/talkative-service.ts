import { runService } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
// A service that logs much for every request, for log-trouble.test.ts. Says its port, and where its metrics are, on standard error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const logger = createLogger({ service: 'talkative', level: 'info' });
const text = 'x'.repeat(1_000);
let number = 0;

await runService({
  name: 'the talkative service',
  logger,
  start: async () => {
    const server = createServer(({ url }, response) => {
      for (let lines = Number(url?.slice(1)); lines > 0; lines -= 1)
        logger.info({ number: (number += 1), text }, 'line');
      response.end(String(number));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const page = await createMetrics().serve('127.0.0.1:0');
    process.stderr.write(`${String(port)} ${page.address}\n`);
    return async () => {
      await page.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    };
  },
});
