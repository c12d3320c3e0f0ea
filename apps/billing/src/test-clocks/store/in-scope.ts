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
