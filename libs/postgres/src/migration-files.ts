import type { Knex } from 'knex';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** One step of a database's history. It is never edited once merged; a mistake is corrected by the next one. */
export interface Migration {
  up(knex: Knex): Promise<unknown>;
  /** `transaction: false` for the few statements PostgreSQL refuses inside one, such as CREATE INDEX CONCURRENTLY. */
  config?: { transaction: boolean };
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.ts$/;

/** The migrations of a folder, in the order of their four-digit numbers. */
export function migrationFiles(directory: string | URL): Knex.MigrationSource<string> {
  const folder = typeof directory === 'string' ? directory : fileURLToPath(directory);
  return {
    getMigrations: async () => inOrder(await readdir(folder)),
    // Without the ending, so that history stays the same should the files ever be compiled.
    getMigrationName: (file) => basename(file, '.ts'),
    getMigration: async (file) => {
      const migration = (await import(pathToFileURL(join(folder, file)).href)) as Migration;
      return { ...migration, down: refuseToGoBack };
    },
  };
}

/** Refuses files that are not named like migrations, and two with the same number: their order would be a guess. */
export function inOrder(files: readonly string[]): string[] {
  const numbers = new Map<string, string>();
  for (const file of files) {
    const number = FILE_NAME.exec(file)?.[1];
    if (number === undefined) throw new Error(`${file} is not named like a migration (0001_some_words.ts)`);
    const other = numbers.get(number);
    if (other !== undefined) throw new Error(`${other} and ${file} have the same number`);
    numbers.set(number, file);
  }
  return [...files].sort();
}

function refuseToGoBack(): Promise<void> {
  return Promise.reject(new Error('migrations only go forward; write a new one'));
}
