import type { Reseal } from '@platform-backend/core/secret-box';
import { resealRows } from '@platform-backend/postgres';
import type { OpenedPostgres } from '@platform-backend/postgres/storage';
import { secretContext } from '../domain/connection.ts';

interface SecretRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly secret: string | null;
}

/** Has the secrets of all connections sealed anew. */
export const resealConnections = ({ database }: Pick<OpenedPostgres, 'database'>, reseal: Reseal): Promise<void> =>
  resealRows<SecretRow>(database, {
    table: 'connections',
    key: ['id'],
    columns: ['id', 'organisation_id', 'secret'],
    sealed: ['secret'],
    reseal: (row) => {
      const secret = row.secret === null ? null : reseal(row.secret, secretContext(row.organisation_id, row.id));
      return secret === row.secret ? row : { ...row, secret };
    },
  });
