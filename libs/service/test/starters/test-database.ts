import { serviceVariable } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { ThrowawayMongo } from '@platform-backend/mongo/testing';
import { preparedPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import type { Service, ServiceDeclaration } from '../../src/index.ts';

/** A database of a test's own, of the kind that the service keeps its data in. */
export type TestDatabase = ThrowawayPostgres | ThrowawayMongo;

export type DatabaseOf<Declaration extends ServiceDeclaration> = Declaration['storage'] extends {
  readonly kind: 'mongo';
}
  ? ThrowawayMongo
  : ThrowawayPostgres;

/** A database of a test's own with the tables or indexes of a service. */
export async function migratedDatabase<Declaration extends ServiceDeclaration>(
  service: Service<Declaration>,
): Promise<DatabaseOf<Declaration>> {
  const { storage, name } = service.declaration;
  const migrate = (database: DatabaseUrls) => migrateTestDatabase(service, database);
  if (storage.kind === 'postgres') return (await preparedPostgres(name, migrate)) as DatabaseOf<Declaration>;
  const { throwawayMongo } = await import('@platform-backend/mongo/testing');
  const mongo = await throwawayMongo();
  await migrate(mongo);
  return mongo as DatabaseOf<Declaration>;
}

export type DatabaseUrls = Pick<TestDatabase, 'appUrl' | 'ownerUrl'>;

/** Brings a database to the service's version; answers the names of the migrations that ran. */
export const migrateTestDatabase = (
  service: Pick<Service, 'declaration' | 'migrate'>,
  { appUrl, ownerUrl }: DatabaseUrls,
): Promise<readonly string[]> => {
  const { name } = service.declaration;
  const env = { [serviceVariable(name, 'DATABASE_URL')]: appUrl, [serviceVariable(name, 'MIGRATION_URL')]: ownerUrl };
  return service.migrate(env, createLogger({ service: name, level: 'silent' }));
};
