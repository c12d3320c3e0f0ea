import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { throwawayMongo, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import type { Service } from '../../src/index.ts';
import { migrateTestDatabase } from '../starters/test-database.ts';

/** What the indexes of a service on MongoDB, which are all of its schema that the server knows, promise to everybody. */
export function indexSuite(service: Service): void {
  let mongo: ThrowawayMongo;
  const migrate = () => migrateTestDatabase(service, mongo);

  describe('the indexes', () => {
    beforeAll(async () => {
      mongo = await throwawayMongo();
    });
    afterAll(() => mongo.drop());

    it('are made however many replicas migrate at the same time, and stay as they are afterwards', async () => {
      const made = new Set((await Promise.all([migrate(), migrate(), migrate()])).flat());
      expect(made.size).toBeGreaterThan(0);
      expect(await migrate()).toEqual([]);
    });
  });
}
