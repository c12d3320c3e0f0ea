import type { ThrowawayMongo } from '@platform-backend/mongo/testing';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import type { Service } from '../../src/index.ts';

/** A database of a test's own, of the kind that the service keeps its data in. */
export type TestDatabase = ThrowawayPostgres | ThrowawayMongo;

export async function throwawayDatabase({ declaration: { storage } }: Service): Promise<TestDatabase> {
  if (storage.kind === 'postgres') return throwawayPostgres();
  const { throwawayMongo } = await import('@platform-backend/mongo/testing');
  return throwawayMongo();
}
