import { columns, firstOrThrow, type Database, type Knex } from '@platform-backend/postgres';
import { sessionNotFound } from '../domain/errors.ts';
import type { Session, Sessions } from '../domain/session.ts';

const sessionColumns = columns<Session>({
  id: 'id',
  path: 'path',
  name: 'name',
  type: 'type',
  kernelId: 'kernel_id',
  createdAt: 'created_at',
});

export const sessionsStore = (database: Database): Sessions => ({
  add: (organisationId, session) =>
    database.tenant(organisationId, async (trx) => {
      const row = { ...sessionColumns.write(session), organisation_id: organisationId };
      await trx('kernel_sessions').insert(row).onConflict().ignore();
      return (await atPath(trx, organisationId, session.path)) ?? session;
    }),

  get: (organisationId, sessionId) =>
    database.tenant(organisationId, (trx) =>
      firstOrThrow(named(trx, organisationId, sessionId), sessionColumns, sessionNotFound),
    ),

  atPath: (organisationId, path) => database.tenant(organisationId, (trx) => atPath(trx, organisationId, path)),

  list: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const query = trx('kernel_sessions').where({ organisation_id: organisationId }).orderBy(['created_at', 'id']);
      return (await query.select<object[]>(sessionColumns.names)).map(sessionColumns.read);
    }),

  change: ({ organisationId }, session) =>
    database.tenant(organisationId, (trx) => changeSession(trx, organisationId, session)),

  changeKernel: (organisationId, sessionId, before, after) =>
    database.tenant(organisationId, async (trx) => {
      await named(trx, organisationId, sessionId).where({ kernel_id: before }).update({ kernel_id: after });
      return firstOrThrow(named(trx, organisationId, sessionId), sessionColumns, sessionNotFound);
    }),

  remove: (organisationId, sessionId) =>
    database.tenant(organisationId, async (trx) => {
      if ((await named(trx, organisationId, sessionId).delete()) === 0) throw sessionNotFound();
    }),
});

export async function changeSession(trx: Knex.Transaction, organisationId: string, session: Session): Promise<void> {
  const changed = await named(trx, organisationId, session.id).update(sessionColumns.write(session));
  if (changed === 0) throw sessionNotFound();
}

const named = (trx: Knex.Transaction, organisationId: string, sessionId: string) =>
  trx('kernel_sessions').where({ organisation_id: organisationId, id: sessionId });

/** As the index has it: what is text is bytes, with backslashes as they are. */
const digestOf = (path: string): string => String.raw`sha256(replace(${path}, '\', '\\')::bytea)`;

async function atPath(trx: Knex.Transaction, organisationId: string, path: string): Promise<Session | undefined> {
  const query = trx('kernel_sessions').where({ organisation_id: organisationId });
  const row = await query
    .whereRaw(`${digestOf('path')} = ${digestOf('?::text')}`, [path])
    .first<object | undefined>(sessionColumns.names);
  return row && sessionColumns.read(row);
}
