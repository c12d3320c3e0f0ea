import type { Knex } from '@platform-backend/postgres';
import type { ScheduleScope } from '../domain/schedule-scope.ts';

/** The rows of a query that a round is about. */
export function inScope<Query extends Knex.QueryBuilder>(
  query: Query,
  scope: ScheduleScope,
  column = 'organisation_id',
): Query {
  if ('only' in scope) void query.where(column, scope.only);
  else if (scope.except.length > 0) void query.whereNotIn(column, [...scope.except]);
  return query;
}

/** When the first of the rows that a round is about is due, by a column with an index of the rows that have it; null: none is. */
export async function firstDueAt(query: Knex.QueryBuilder, scope: ScheduleScope, column: string): Promise<Date | null> {
  const row = await inScope(query, scope)
    .whereNotNull(column)
    .orderBy(column)
    .first<Readonly<Record<string, Date>> | undefined>(column);
  return row?.[column] ?? null;
}
