/** A process that ends the first step of every run and goes on with the next, of which nothing is ever heard. */
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus } from '@platform-backend/events';
import { openDatabase } from '@platform-backend/postgres';
import { nothingDone, orchestrationUnderTest } from './orchestration-under-test.ts';

const [url = '', servers = ''] = process.argv.slice(2);
const logger = createLogger({ service: 'test', level: 'silent' });
// However slow the machine is: it goes on with the next step while its clock says that it has just begun.
const startedAt = new Date();
orchestrationUnderTest({
  database: openDatabase({ url, applicationName: 'hanging worker', logger }),
  bus: openEventBus({ servers, name: 'pipelines', logger }),
  clock: { now: () => startedAt },
  executeStep: ({ at }) => (at.stepIndex === 0 ? Promise.resolve(nothingDone) : new Promise(() => undefined)),
}).work();
