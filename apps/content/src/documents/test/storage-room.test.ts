import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { documentClient, type DocumentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

/** Moved on by tests. */
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };

describe('the room of an organisation for its documents', () => {
  let small: TestContent;
  let brought: DocumentClient;
  beforeAll(async () => {
    const environment = { CONTENT_DOCUMENT_MAX_BYTES: '5000', CONTENT_STORAGE_MAX_BYTES: '3000' };
    small = await startTestContent({ clock, environment });
    brought = documentClient(small);
  });
  afterAll(() => small.stop());

  const storage = (by: ReturnType<typeof member>) => small.documents.getStorage({}, by);
  const ask = (by: ReturnType<typeof member>, sizeBytes?: number, id = newId()) =>
    small.documents.uploadDocument({ id, name: 'a.txt', ...(sizeBytes !== undefined && { sizeBytes }) }, by);

  it('is what documents take and uploads may bring, and an upload beyond it has no URL', async () => {
    const by = member(newOrganisation());
    expect(await storage(by)).toEqual({ usedBytes: '0', maxBytes: '3000', documentCount: '0' });
    const first = await ask(by, 2000);
    expect(await storage(by)).toMatchObject({ usedBytes: '2000', documentCount: '1' });
    expect(await refusalOf(ask(by, 1001))).toMatchObject({
      code: 'storage_quota_exceeded',
      message: expect.stringContaining('1000'),
    });
    expect(await storage(by)).toMatchObject({ usedBytes: '2000', documentCount: '1' });
    // Whoever says nothing of the size may bring as much as there is room for.
    expect(await ask(by)).toMatchObject({ maxBytes: '1000' });
    expect(await refusalOf(ask(by))).toMatchObject({ code: 'storage_quota_exceeded' });
    // The same upload again takes no more than it has.
    await ask(by, 2000, first.documentId);
    await brought.put(first.signedUrl, 'x'.repeat(2000));
    expect(await storage(by)).toMatchObject({ usedBytes: '3000', documentCount: '2' });
  });

  it('is free again of what was deleted or never came, and of others than the organisation nobody has any', async () => {
    const by = member(newOrganisation());
    const { documentId, signedUrl } = await ask(by, 3000);
    await brought.put(signedUrl, 'x'.repeat(10));
    expect(await storage(by)).toMatchObject({ usedBytes: '10' });
    await ask(by, 2990);
    expect(await refusalOf(ask(by, 1))).toMatchObject({ code: 'storage_quota_exceeded' });
    expect(await ask(member(newOrganisation()), 3000)).toMatchObject({ maxBytes: '3000' });
    await small.documents.deleteDocument({ documentId }, by);
    expect(await ask(by, 10)).toMatchObject({ maxBytes: '10' });
    ahead += 25 * 60_000;
    await waitFor(async () => (await storage(by)).usedBytes === '0', {
      what: 'what never came to expire',
    });
  });

  it('is taken by all versions, and of one that is awaited by what it may bring', async () => {
    const by = member(newOrganisation());
    const { documentId, signedUrl } = await ask(by, 1000);
    await brought.put(signedUrl, 'word '.repeat(200));
    await brought.until(documentId, 'READY', by);
    const next = (sizeBytes: number) => small.documents.uploadDocumentVersion({ documentId, sizeBytes }, by);
    expect(await refusalOf(next(2001))).toMatchObject({ code: 'storage_quota_exceeded' });
    const { signedUrl: second } = await next(1500);
    expect(await storage(by)).toMatchObject({ usedBytes: '2500', documentCount: '1' });
    expect(await next(2000)).toMatchObject({ version: 2, maxBytes: '2000' });
    await brought.put(second, 'other '.repeat(250));
    await waitFor(async () => (await brought.get(documentId, by)).version === 2, { what: 'the version' });
    expect(await storage(by)).toMatchObject({ usedBytes: '2500' });
    await small.documents.deleteDocumentVersion({ documentId, version: 1 }, by);
    expect(await storage(by)).toMatchObject({ usedBytes: '1500', documentCount: '1' });
  });

  it('is not taken twice by uploads that are asked for at the same moment', async () => {
    const by = member(newOrganisation());
    const asked = await Promise.allSettled(Array.from({ length: 6 }, () => ask(by, 1000)));
    const granted = asked.filter(({ status }) => status === 'fulfilled').length;
    expect(granted).toBeLessThanOrEqual(3);
    expect(await storage(by)).toMatchObject({ usedBytes: String(granted * 1000) });
  });
});
