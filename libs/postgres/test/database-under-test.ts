import { afterAll, beforeAll } from '@jest/globals';
import { conflict, newId } from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { openDatabase, type Database } from '../src/index.ts';
import { openShelves, preparedShelves, quiet } from './shelf-database.ts';

export let server: ThrowawayPostgres;
export let database: Database;
export let superuser: Database;

beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server, {
    constraintErrors: { shelves_name: () => conflict('shelf_exists', 'A shelf of this name exists') },
  });
  superuser = openDatabase({ url: server.superuserUrl, applicationName: 'root', logger: quiet });
});

afterAll(async () => {
  await database.close();
  await superuser.close();
  await server.drop();
});

interface Shelf {
  id: string;
  organisation_id: string;
  name: string;
  created_at: Date;
}

export const shelf = (organisation_id: string, name: string, created_at = new Date()): Shelf => ({
  id: newId(),
  organisation_id,
  name,
  created_at,
});

/** Ends the server's side of every connection of this name. */
export const cutOff = (applicationName: string): Promise<unknown> =>
  superuser.knex.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?', [
    applicationName,
  ]);
