import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DomainError, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { freePort, mongoDatabaseUrl, startEmbeddedMongo } from '@platform-backend/embedded';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { runDirectory, smallDisk, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { service } from '../src/service.ts';
import { documentClient } from './document-client.ts';
import { startTestContent, type TestContent } from './test-content.ts';

const folder = mkdtempSync(join(runDirectory(), 'full-disk-'));
const [objects, mongo] = [join(folder, 'objects'), join(folder, 'mongo')];
const diskOfObjects = smallDisk(objects, { megabytes: 24 });
const diskOfMongo = smallDisk(mongo, { megabytes: 24 });
afterAll(() => {
  diskOfObjects?.unmount();
  diskOfMongo?.unmount();
  rmSync(folder, { recursive: true, force: true });
});

/** 503 with Retry-After, as the gateway says it. */
const isFull = (error: unknown): boolean =>
  error instanceof DomainError &&
  error.kind === 'unavailable' &&
  error.code === 'storage_full' &&
  Number(error.retryAfterSeconds) > 0;

describeWhere(diskOfMongo ? undefined : 'a disk of its own cannot be mounted', 'content', () => {
  let content: TestContent;
  let server: Awaited<ReturnType<typeof startEmbeddedMongo>>;
  let port: number;
  const startServer = () =>
    startEmbeddedMongo({
      directory: join(mongo, 'data'),
      logFile: join(folder, 'mongo.log'),
      keepsUsAlive: false,
      port,
    });
  beforeAll(async () => {
    port = await freePort();
    server = await startServer();
    const url = mongoDatabaseUrl(server.url, 'content');
    const database = { url, appUrl: url, ownerUrl: url, drop: () => Promise.resolve() };
    const quiet = createLogger({ service: 'content', level: 'silent' });
    await service.migrate({ CONTENT_DATABASE_URL: url, CONTENT_MIGRATION_URL: url }, quiet);
    const env = { OBJECTS_DIRECTORY: objects };
    content = await startTestContent({ replicaOf: { database, env } });
  });
  afterAll(async () => {
    await content.stop();
    await server.stop();
  });

  it('refuses files while their disk is full, keeps those that it has taken, and takes the others when there is room', async () => {
    const by = member(newOrganisation());
    const client = documentClient(content);
    const upload = async (name: string) => content.documents.uploadDocument({ id: newId(), name }, by);
    const read = async (documentId: string) =>
      (await client.fetch((await content.documents.downloadDocument({ documentId }, by)).signedUrl)).text;
    const texts = ['first '.repeat(5_000), 'second '.repeat(5_000)];
    const [first, second] = [await upload('first.txt'), await upload('second.txt')];
    await client.put(first.signedUrl, texts[0] ?? '');

    diskOfObjects?.fill();
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await client.put(second.signedUrl, texts[1] ?? '').catch(isFull)).toBe(true);
    expect(await read(first.documentId)).toBe(texts[0]);

    diskOfObjects?.makeRoom();
    // What a broken-off upload had written is gone.
    expect(readdirSync(join(objects, 'incoming'))).toEqual([]);
    await client.put(second.signedUrl, texts[1] ?? '');
    expect(await Promise.all([read(first.documentId), read(second.documentId)])).toEqual(texts);
  });

  it('refuses writes while the disk of MongoDB is full, loses none that it has acknowledged, and goes on when there is room', async () => {
    const by = member(newOrganisation());
    const acknowledged = new Map<string, string>();
    let made = 0;
    const write = async (): Promise<void> => {
      made += 1;
      const wanted = { title: `Rule ${String(made)}`, content: `${String(made)} ${'x'.repeat(20_000)}` };
      const { id } = await content.conventions.createConvention(wanted, by);
      acknowledged.set(id, wanted.content);
    };
    const expectAll = async (): Promise<void> => {
      for (const [conventionId, text] of acknowledged)
        expect((await content.conventions.getConvention({ conventionId }, by)).content).toBe(text);
    };
    await write();
    diskOfMongo?.fill();
    // What the server has already taken of the disk may have room for some more.
    const refused: unknown[] = [];
    while (refused.length < 3) await write().catch((error: unknown) => refused.push(error));
    expect(refused.filter((error) => !isFull(error))).toEqual([]);
    await expectAll();

    diskOfMongo?.makeRoom();
    await waitFor(
      async () => {
        await write();
        return true;
      },
      { what: 'writes to be taken again' },
    );
    await server.kill();
    server = await startServer();
    await waitFor(() => expectAll().then(() => true), { what: 'all that was acknowledged' });
  });
});
