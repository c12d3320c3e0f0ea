export type { Knex } from 'knex';
export {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type PreparedStatement,
  type TransactionOptions,
  type Work,
} from './database.ts';
export { isCollision, isOutage, translateFailure, type ConstraintRefusals } from './failures.ts';
export {
  allPagesOf,
  pageBytes,
  pageOf,
  parsePosition,
  positionText,
  type Page,
  type PageRequest,
  type Position,
} from './keyset.ts';
export { listPage } from './list-page.ts';
export type { Listening } from './listen.ts';
export { migrate, type MigrationRun } from './migrate.ts';
export type { Migration } from './migration-files.ts';
export {
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  requireRestrictedRole,
  type TenantRule,
} from './schema-rules.ts';
export {
  acrossOrganisations,
  grantToAppRole,
  tenantTable,
  type OpenedRows,
  type OpenedTable,
  type Privilege,
  type TenantTableOptions,
} from './tenancy.ts';
