import { accessLogOf, createLogger, runService } from '@platform-backend/core';
import { startGateway } from './start-gateway.ts';

const logger = createLogger({ service: 'gateway', level: process.env['LOG_LEVEL'] });
const accessLog = accessLogOf(logger);

await runService({
  name: 'gateway',
  logger,
  start: () => startGateway(process.env, logger, accessLog),
  unhandledRejections: 'log',
});
