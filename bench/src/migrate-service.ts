import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

/** Brings a service's database up to date, as the owner; `main` is its `apps/<service>/src/main.ts`. */
export async function migrateService(
  main: string,
  { appUrl, ownerUrl }: { readonly appUrl: string; readonly ownerUrl: string },
): Promise<void> {
  const prefix = basename(dirname(dirname(main))).toUpperCase();
  const env = {
    PATH: process.env['PATH'],
    [`${prefix}_DATABASE_URL`]: appUrl,
    [`${prefix}_MIGRATION_URL`]: ownerUrl,
  };
  await promisify(execFile)(process.execPath, [main, 'migrate'], { env });
}
