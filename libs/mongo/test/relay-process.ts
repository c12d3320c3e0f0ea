import { relayUntilKilled } from '@platform-backend/events/testing/relay-process';
import { mongoOutbox } from '../src/index.ts';
import { commitTo, openLibraryDatabase } from './event-store.ts';

const [, , url = ''] = process.argv;
const database = await openLibraryDatabase(url);
await relayUntilKilled({ outbox: mongoOutbox(database), commit: commitTo(database) });
