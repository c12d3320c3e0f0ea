import { port, readConfiguration, runService, url } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
// A service in a process of its own, for run-service.test.ts; its first argument says how it behaves.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, open, openSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const behaviour = process.argv[2] ?? '';
const logger = createLogger({ service: 'any', level: process.env['LOG_LEVEL'] });

// Before it runs, as what it inherits would be.
if (behaviour === 'hungry') for (let files = 0; files < 200; files += 1) openSync('/dev/null', 'r');

await runService({
  name: 'any service',
  logger,
  drainLimitMs: behaviour === 'hanging' || behaviour === 'patient' ? 300 : 60_000,
  unhandledRejections: behaviour === 'forgiving' ? 'log' : 'end',
  start: async () => {
    if (behaviour === 'unconfigured') readConfiguration({}, { PORT: port(), NATS_URL: url({ protocols: ['nats'] }) });
    if (behaviour === 'broken') throw new Error('the database refuses connections');
    const server = createServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    if (behaviour === 'crashing')
      setTimeout(() => {
        throw new Error('unforeseen');
      }, 10);
    if (behaviour === 'crowded') {
      setTimeout(() => server.emit('error', Object.assign(new Error('accept EMFILE'), { syscall: 'accept' })), 10);
    }
    if (behaviour === 'stuck') {
      const pipe = join(mkdtempSync(join(tmpdir(), 'stuck-')), 'pipe');
      execFileSync('mkfifo', [pipe]);
      // Waits for a writer in a thread of Node's, for ever.
      open(pipe, 'r', () => undefined);
    }
    if (behaviour === 'rejecting' || behaviour === 'forgiving') void Promise.reject(new Error('unforeseen'));
    const stop = async (): Promise<void> => {
      logger.info('closing');
      if (behaviour === 'failing') {
        void Promise.reject(new Error('unforeseen'));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (behaviour === 'hanging') await new Promise(() => undefined);
      if (behaviour === 'unstoppable') throw new Error('cannot let go');
      await new Promise((resolve) => server.close(resolve));
      if (behaviour === 'patient') await new Promise((resolve) => setTimeout(resolve, 400));
      logger.info('closed');
    };
    const { port: bound } = server.address() as AddressInfo;
    return behaviour === 'plain'
      ? stop
      : { stop, ready: { address: `127.0.0.1:${bound}` }, ...(behaviour === 'patient' && { drainLimitMs: 60_000 }) };
  },
});
