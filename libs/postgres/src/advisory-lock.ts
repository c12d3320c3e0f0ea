import type { Knex } from 'knex';

/** Nobody else who locks this name in the same database goes on before this transaction is over. */
export async function advisoryLock(trx: Knex.Transaction, name: string): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}
