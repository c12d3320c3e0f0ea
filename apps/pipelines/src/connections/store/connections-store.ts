import {
  advisoryLock,
  changesIn,
  columns,
  countOf,
  firstOrThrow,
  jsonColumn,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import type { Connection } from '../domain/connection.ts';
import type { Connections } from '../domain/connections.ts';
import { connectionNotFound } from '../domain/errors.ts';

const connectionColumns = columns<Connection>({
  id: 'id',
  name: 'name',
  settings: jsonColumn('settings'),
  sealedSecret: 'secret',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** Names of the datasets that are read from a connection, in its transaction. */
export type DatasetsReadFrom = (
  trx: Knex.Transaction,
  organisationId: string,
  connectionId: string,
) => Promise<readonly string[]>;

/** Connections in PostgreSQL. */
export function connectionsStore(database: Database, datasetsReadFrom: DatasetsReadFrom): Connections {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  return {
    get: (organisationId, id) => database.tenant(organisationId, (trx) => load(trx, organisationId, id)),

    list: (organisationId, { order, kinds, ...page }) =>
      database.tenant(organisationId, (trx) => {
        const found = of(trx, organisationId).select(connectionColumns.names);
        if (kinds.length > 0) void found.whereIn('kind', [...kinds]);
        return listPage(found, page, { order, read: (rows) => rows.map(connectionColumns.read) });
      }),

    add: (by, decide) =>
      changes.update(by, decide, {
        async load(trx) {
          const { organisationId } = by;
          await advisoryLock(trx, `connections of ${organisationId}`);
          return countOf(of(trx, organisationId));
        },
        save: (trx, connection) =>
          trx('connections').insert({
            ...connectionColumns.write(connection),
            kind: connection.settings.kind,
            organisation_id: by.organisationId,
          }),
      }),

    update: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(trx, by.organisationId, id, 'changed'),
        save: (trx, connection) => of(trx, by.organisationId).where({ id }).update(connectionColumns.write(connection)),
      }),

    remove: (by, id, decide) =>
      changes.update(by, ({ connection, datasets }: InUse) => decide(connection, datasets), {
        async load(trx) {
          // A dataset that begins to name it holds its key: whoever has this lock sees all that do.
          const connection = await load(trx, by.organisationId, id, 'removed');
          return { connection, datasets: await datasetsReadFrom(trx, by.organisationId, id) };
        },
        save: (trx) => of(trx, by.organisationId).where({ id }).delete(),
      }),
  };
}

interface InUse {
  readonly connection: Connection;
  readonly datasets: readonly string[];
}

/** Locked for what becomes of it. NOT_FOUND: there is none. */
async function load(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  becomes: 'read' | 'changed' | 'removed' = 'read',
): Promise<Connection> {
  const query = of(trx, organisationId).where({ id });
  if (becomes === 'changed') void query.forNoKeyUpdate();
  if (becomes === 'removed') void query.forUpdate();
  return firstOrThrow(query, connectionColumns, connectionNotFound);
}

/** After the datasets that name them. */
export const removeConnections = async (trx: Knex.Transaction, organisationId: string): Promise<void> => {
  await of(trx, organisationId).delete();
};

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('connections').where({ organisation_id: organisationId });
