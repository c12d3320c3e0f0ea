import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { borrowed, commit } from '@platform-backend/events/testing';
import { mongo } from '../src/storage.ts';
import { collections, commitTo, quiet } from './event-store.ts';
import { throwawayMongo, type ThrowawayMongo } from './throwaway-mongo.ts';

let server: ThrowawayMongo;
beforeAll(async () => {
  server = await throwawayMongo();
});
afterAll(() => server.drop());

const storage = mongo({ collections: () => Promise.resolve(collections), connections: 7 });
const metrics = createMetrics();
const open = () => {
  const settings = readConfiguration({ DATABASE_URL: server.url }, storage.settings);
  return storage.open({ settings, applicationName: 'library', logger: quiet, metrics });
};

describe('the storage of a service', () => {
  it('is not opened before it was migrated: what is missing is named', async () => {
    await expect(open()).rejects.toThrow(/shelves_name of shelves is missing.*Run the service's migration/);
  });

  it('is migrated once, and then has all that the service and its events need', async () => {
    const settings = readConfiguration({ MIGRATION_URL: server.url }, storage.migrationSettings);
    expect(await storage.migrate(settings, quiet)).toContain('shelves_name');
    expect(await storage.migrate(settings, quiet)).toEqual([]);
    const running = await open();
    const { opened, outbox, inbox } = running;
    try {
      await commit({ commit: commitTo(opened.database) }, borrowed('a'));
      expect(await outbox.backlog()).toMatchObject({ events: 1 });
      expect(await inbox.prune(0)).toBe(0);
      const page = await metrics.serve('127.0.0.1:0');
      expect(await (await fetch(`http://${page.address}/metrics`)).text()).toContain(
        'database_pool_connections{pool="library"} 7',
      );
      await page.close();
    } finally {
      await running.close();
    }
  });

  it('takes the address of all members of a replica set', () => {
    const members = 'mongodb://role:secret@a:27017,b:27017/database?replicaSet=rs';
    expect(readConfiguration({ DATABASE_URL: members }, storage.settings).DATABASE_URL).toBe(members);
  });

  it('takes no address of another kind of database', () => {
    const wrong = () => readConfiguration({ DATABASE_URL: 'postgres://role@host/database' }, storage.settings);
    expect(wrong).toThrow(/DATABASE_URL.*mongodb/);
  });
});
