import { createLogger } from '@platform-backend/core/logger';
import { migrate } from '../src/index.ts';

/** A process of its own, for tests of several at once: prints the names of what it migrated. */
const [, , url = '', appRole = ''] = process.argv;
const logger = createLogger({ service: 'migrate-once', level: 'silent' });
const applied = await migrate({ url, directory: new URL('./migrations/', import.meta.url), appRole, logger });
process.stdout.write(JSON.stringify(applied));
