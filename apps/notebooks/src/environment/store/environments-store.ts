import { advisoryLock, changesIn, recordEventsOf, type Database, type Knex } from '@platform-backend/postgres';
import type { Environments, EnvironmentVariable, Variables } from '../domain/environment.ts';

interface VariableRow {
  organisation_id: string;
  name: string;
  value: string;
  updated_at: Date;
}

/** Environment variables in PostgreSQL. */
export function environmentsStore(database: Database): Environments {
  const changes = changesIn(database, recordEventsOf('notebooks'));
  return {
    list: (organisationId) => database.tenant(organisationId, (trx) => listed(trx, organisationId)),

    values: (organisationId) =>
      database.tenant(organisationId, async (trx) => {
        const rows = await of(trx, organisationId).select('name', 'value');
        return new Map(rows.map(({ name, value }) => [name, value]));
      }),

    update: (by, name, sealed, decide) => {
      const { organisationId } = by;
      return changes.update(by, decide, {
        async load(trx) {
          await advisoryLock(trx, `environment of ${organisationId}`);
          const found = await listed(trx, organisationId);
          return new Map(found.map((one) => [one.name, one])) as Variables;
        },
        lookUp: async (trx) => (await of(trx, organisationId).where({ name }).first('value'))?.value,
        async save(trx, variables) {
          const after = variables.get(name);
          if (!after || sealed === undefined) await of(trx, organisationId).where({ name }).delete();
          else
            await trx<VariableRow>('environment_variables')
              .insert({ organisation_id: organisationId, name, value: sealed, updated_at: after.updatedAt })
              .onConflict(['organisation_id', 'name'])
              .merge(['value', 'updated_at']);
        },
      });
    },
  };
}

/** They end with their organisation. */
export const removeEnvironment = (trx: Knex.Transaction, organisationId: string) => of(trx, organisationId).delete();

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx<VariableRow>('environment_variables').where({ organisation_id: organisationId });

async function listed(trx: Knex.Transaction, organisationId: string): Promise<EnvironmentVariable[]> {
  const rows = await of(trx, organisationId).orderBy('name').select('name', 'updated_at');
  return rows.map(({ name, updated_at: updatedAt }) => ({ name, updatedAt }));
}
