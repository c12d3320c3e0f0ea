// A service that logs much for every request, for log-trouble.test.ts. Says its port on standard error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, runService } from '@platform/core';

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
    process.stderr.write(`${String(port)}\n`);
    return () => new Promise((resolve) => server.close(() => resolve()));
  },
});
