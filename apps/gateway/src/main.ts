import { accessLogOf, createLogger, logLines, runService } from '@platform/core';
import { startGateway } from './start-gateway.ts';

const lines = logLines();
const logger = createLogger({ service: 'gateway', level: process.env['LOG_LEVEL'], destination: lines });
const accessLog = accessLogOf(logger, lines);

await runService({
  name: 'gateway',
  logger,
  start: () => startGateway(process.env, logger, accessLog),
  unhandledRejections: 'log',
});
