import { createServiceDatabase, startPostgres } from '@platform-backend/embedded';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from '../cluster.ts';
import { migrateService } from '../migrate-service.ts';

/** A database of the pipelines service on a server that keeps what is committed, with PostgreSQL's defaults. */
export interface DurableDatabase {
  /** As the service connects to it. */
  readonly url: string;
  /** Sees the rows of all organisations. */
  readonly adminUrl: string;
  readonly admin: pg.Client;
  /** The server's first process, whose children serve the connections. */
  readonly postmaster: number;
  stop(): Promise<void>;
}

export async function durablePostgres(directory: string): Promise<DurableDatabase> {
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
  });
  const password = () => randomBytes(12).toString('hex');
  const database = await createServiceDatabase({
    serverUrl: server.url,
    name: 'pipelines',
    ownerPassword: password(),
    appPassword: password(),
  });
  await migrateService(programOf('pipelines'), database);
  const adminUrl = new URL(server.url);
  adminUrl.pathname = '/pipelines';
  const admin = new pg.Client({ connectionString: adminUrl.href });
  await admin.connect();
  return {
    url: database.appUrl,
    adminUrl: adminUrl.href,
    admin,
    postmaster: server.pid,
    async stop() {
      await admin.end();
      await server.stop();
    },
  };
}
