import type { Reseal } from '@platform-backend/core/secret-box';
import { resealRows } from '@platform-backend/postgres';
import type { OpenedPostgres } from '@platform-backend/postgres/storage';
import { valueContext } from '../domain/environment.ts';

interface ValueRow {
  readonly organisation_id: string;
  readonly name: string;
  readonly value: string;
}

/** Has the values of all variables sealed anew. */
export const resealEnvironments = ({ database }: Pick<OpenedPostgres, 'database'>, reseal: Reseal): Promise<void> =>
  resealRows<ValueRow>(database, {
    table: 'environment_variables',
    key: ['organisation_id', 'name'],
    columns: ['organisation_id', 'name', 'value'],
    sealed: ['value'],
    reseal: (row) => {
      const value = reseal(row.value, valueContext(row.organisation_id, row.name));
      return value === row.value ? row : { ...row, value };
    },
  });
