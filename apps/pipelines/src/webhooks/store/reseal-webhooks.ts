import type { Reseal } from '@platform-backend/core/secret-box';
import { resealRows } from '@platform-backend/postgres';
import type { OpenedPostgres } from '@platform-backend/postgres/storage';
import { secretContext } from '../domain/webhook.ts';

interface SecretsRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly secret: string;
  readonly former_secret: string | null;
}

/** Has the secrets of all webhooks sealed anew. */
export const resealWebhooks = ({ database }: Pick<OpenedPostgres, 'database'>, reseal: Reseal): Promise<void> =>
  resealRows<SecretsRow>(database, {
    table: 'webhooks',
    key: ['id'],
    columns: ['id', 'organisation_id', 'secret', 'former_secret'],
    sealed: ['secret', 'former_secret'],
    reseal: (row) => {
      const context = secretContext(row.organisation_id, row.id);
      const secret = reseal(row.secret, context);
      const former = row.former_secret === null ? null : reseal(row.former_secret, context);
      return secret === row.secret && former === row.former_secret ? row : { ...row, secret, former_secret: former };
    },
  });
