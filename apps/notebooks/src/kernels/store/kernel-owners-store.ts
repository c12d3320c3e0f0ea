import type { Database, Knex } from '@platform-backend/postgres';
import type { KernelOwners } from '../domain/kernel-owners.ts';

interface OwnerRow {
  shared: string;
  organisation_id: string;
}

/** Nobody knows before it is read whose row it is. */
const acrossOrganisations = { 'app.sweep': 'kernels' };

/** To whom shared kernels belong, in PostgreSQL. */
export const kernelOwnersStore = (database: Database): KernelOwners => ({
  find: (shared) => database.system(acrossOrganisations, (trx) => ownerOf(trx, shared)),

  claim: (shared, organisationId) =>
    database.system(acrossOrganisations, async (trx) => {
      await trx<OwnerRow>('kernel_owners').insert({ shared, organisation_id: organisationId }).onConflict().ignore();
      return (await ownerOf(trx, shared)) ?? organisationId;
    }),
});

async function ownerOf(trx: Knex.Transaction, shared: string): Promise<string | undefined> {
  const row = await trx<OwnerRow>('kernel_owners').where({ shared }).first('organisation_id');
  return row?.organisation_id;
}

/** Somebody else may have them then. */
export const removeKernelOwner = (trx: Knex.Transaction, organisationId: string) =>
  trx('kernel_owners').where({ organisation_id: organisationId }).delete();
