/** A process that has a kernel on a server elsewhere, to be killed: it says so when that has begun. */
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase } from '@platform-backend/postgres';
import { randomUUID } from 'node:crypto';
import { remoteProvider } from '../providers/remote/remote-provider.ts';
import { remoteKernelsStore } from '../store/remote-kernels-store.ts';

const [url = '', token = '', database = ''] = process.argv.slice(2);
const logger = createLogger({ service: 'notebooks', level: 'silent' });
const known = remoteKernelsStore(openDatabase({ url: database, applicationName: 'to be killed', logger }));
const limits = { memoryBytes: 2 ** 29, executeSeconds: 60, outputBytes: 2 ** 20 };
const wanted = { kernelId: randomUUID(), organisationId: 'org_1', spec: 'python3', limits };
await remoteProvider({ url, token, known }).start(wanted);
process.send?.('started');
