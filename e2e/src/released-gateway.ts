/** The gateway of today with the contract that was released last: it reads, checks and asks as the last release did. */
import { runService } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { startGateway } from '@platform-backend/gateway/start';
import { releasedContract } from '@platform-backend/protos/released';

const logger = createLogger({ service: 'gateway' });

await runService({
  name: 'gateway',
  logger,
  start: () => startGateway(process.env, logger, logger, releasedContract()),
});
