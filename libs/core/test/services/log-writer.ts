// A process that writes log lines and ends at once, for log-lines.test.ts; its argument says how it ends.
import { createLogger } from '@platform-backend/core/logger';

const logger = createLogger({ service: 'writer', level: 'info' });

for (let number = 1; number <= 500; number += 1) logger.info({ number }, 'line');
if (process.argv[2] === 'killed') {
  logger.warn('the last words');
  process.kill(process.pid, 'SIGKILL');
}
process.exit(0);
