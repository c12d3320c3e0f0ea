import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressServer, saying, type AddressServer } from '../../../test/address-server.ts';
import { startCrashTestContent, type CrashTestContent } from '../../../test/crash-test-content.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

const ADDRESSES = repetitions({ usual: 8, long: 100 });
const KILLS = repetitions({ usual: 1, long: 20 });

describe('an import whose process is killed', () => {
  let files: AddressServer;
  /** Keeps the database; works on nothing itself. */
  let beside: TestContent;
  let content: CrashTestContent;
  beforeAll(async () => {
    files = await addressServer();
    const environment = { CONTENT_DOCUMENT_WORKERS: '0', CONTENT_IMPORT_WORKERS: '0' };
    beside = await startTestContent({ idle: true, environment });
    const env = {
      ...{ ...beside.env, OUTBOUND_ALLOWED_HOSTS: files.host },
      ...{ CONTENT_IMPORT_WORKERS: '2', CONTENT_IMPORT_LEASE_SECONDS: '1' },
    };
    content = await startCrashTestContent(env, { maxAnswers: 1_000_000, maxKills: 0 });
  });
  afterAll(async () => {
    await content.stop();
    await beside.stop();
    files.close();
  });

  it('goes on with the next, and makes each document once', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const items = Array.from({ length: ADDRESSES }, (_, at) => ({
      url: files.answer(`/${at}.txt`, saying(`Document ${at}.`)),
    }));
    const { id: importId } = await content.imports.createDocumentImport({ items }, by);
    const state = () => content.imports.getDocumentImport({ importId }, by).catch(() => undefined);
    // Each time it has gone on a little, so that it dies in the midst of the next.
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const enough = Math.floor((ADDRESSES * kills) / (KILLS + 1));
      await waitFor(() => files.asked.length >= enough, { what: 'further addresses', interval: 1 });
      await content.kill();
    }
    await waitFor(async () => (await state())?.imported === ADDRESSES, { what: 'the end of the import' });

    const { documents } = await content.documents.listDocuments({ limit: 200 }, by);
    expect(documents.map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: ADDRESSES }, (_, at) => `${at}.txt`).toSorted(),
    );
    for (const { status, sizeBytes } of documents) {
      expect(status).toBe('UPLOADED');
      expect(Number(sizeBytes)).toBeGreaterThan(0);
    }
    const kept = await content.imports.listDocumentImportItems({ importId, limit: 200 }, by);
    expect(kept.items.map(({ documentId }) => documentId).toSorted()).toEqual(documents.map(({ id }) => id).toSorted());
    const { database } = beside.frame?.storage ?? {};
    const stored = database?.unguarded;
    expect(
      await stored?.collection('documentImportItems').countDocuments({ dueOrganisationId: { $exists: true } }),
    ).toBe(0);
    // What a kill has left is written down, and goes in an hour.
    const { organisationId = '' } = by.caller;
    const bytes = readdirSync(join(beside.directory, 'objects', organisationId), {
      recursive: true,
      withFileTypes: true,
    }).filter((entry) => entry.isFile());
    const known = await stored
      ?.collection('documentFollowUps')
      .distinct('copyKey', { organisationId, copyKey: { $exists: true } });
    expect(bytes.length).toBeLessThanOrEqual(known?.length ?? 0);
  });
});
