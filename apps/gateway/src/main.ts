import { runService } from '@platform-backend/core';
import { accessLogOf } from '@platform-backend/core/access-log';
import { createLogger } from '@platform-backend/core/logger';
import { startGateway } from './start-gateway.ts';

const logger = createLogger({ service: 'gateway', level: process.env['LOG_LEVEL'] });
const accessLog = accessLogOf(logger);

await runService({
  name: 'gateway',
  logger,
  start: () => startGateway(process.env, logger, accessLog),
  unhandledRejections: 'log',
});
