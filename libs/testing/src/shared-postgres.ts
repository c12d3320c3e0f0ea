import { startPostgres } from '@platform-backend/embedded';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { runDirectory } from './run-directory.ts';

/**
 * Speed instead of durability: the data lives as long as the test run. All test files of a run have their connections here,
 * and passwords are as long as they are random.
 */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  max_connections: '400',
  scram_iterations: '1',
};

/** The PostgreSQL of a test run; it ends with the process that starts it, even by `kill -9`, and takes its data with it. */
export default async function startSharedPostgres() {
  const directory = mkdtempSync(join(runDirectory(), 'postgres-'));
  const { pid, url } = await startPostgres({
    directory,
    logFile: `${directory}.log`,
    settings,
    removeAfterExit: directory,
    keepsUsAlive: false,
  });
  return { pid, url };
}
