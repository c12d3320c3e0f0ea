import { loadPlatformWithStreams } from '@platform-backend/contract/testing/sample-contract';
import { runService } from '@platform-backend/core';
import { accessLogOf } from '@platform-backend/core/access-log';
import { createLogger } from '@platform-backend/core/logger';
import { startGateway } from '../src/start-gateway.ts';

/** The gateway's main module with operations in its contract that stream, which those of the platform do not yet. */
const logger = createLogger({ service: 'gateway' });

await runService({
  name: 'gateway',
  logger,
  start: () => startGateway(process.env, logger, accessLogOf(logger), loadPlatformWithStreams()),
  unhandledRejections: 'log',
});
