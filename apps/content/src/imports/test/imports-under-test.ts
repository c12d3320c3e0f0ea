import { afterAll, beforeAll } from '@jest/globals';
import type { CreateDocumentImportRequestInput, Document, DocumentImport } from '@platform-backend/contract-content';
import type { Clock } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressServer, saying, type AddressServer } from '../../../test/address-server.ts';
import { documentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

type By = ReturnType<typeof member>;

export const MAX_BYTES = 5_000;

export let files: AddressServer;
/** Nobody may ask it. */
export let within: AddressServer;
export let content: TestContent;
let passedMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + passedMs) };

beforeAll(async () => {
  [files, within] = [await addressServer(), await addressServer()];
  content = await startTestContent({
    idle: true,
    clock,
    environment: {
      OUTBOUND_ALLOWED_HOSTS: `${files.host}, 127.0.0.1:9`,
      CONTENT_DOCUMENT_MAX_BYTES: String(MAX_BYTES),
      CONTENT_STORAGE_MAX_BYTES: String(3 * MAX_BYTES),
      // What has come is read as any upload is, which others test.
      CONTENT_DOCUMENT_WORKERS: '0',
      // Of each organisation one at a time.
      CONTENT_IMPORT_WORKERS: '2',
      CONTENT_IMPORT_LEASE_SECONDS: '6',
    },
  });
});
afterAll(async () => {
  await content.stop();
  for (const server of [files, within]) server.close();
});

export const newMember = (level: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'EDITOR', organisationId = newOrganisation()): By =>
  member(organisationId, level);

export const get = ({ id }: Pick<Document, 'id'>, by: By) => documentClient(content).get(id, by);
export const until = (document: Pick<Document, 'id'>, status: NonNullable<Document['status']>, by: By) =>
  documentClient(content).until(document.id, status, by);

export const importsOf = async (by: By): Promise<readonly DocumentImport[]> =>
  (await content.imports.listDocumentImports({}, by)).imports;
export const itemsOf = async ({ id: importId }: DocumentImport, by: By) =>
  (await content.imports.listDocumentImportItems({ importId }, by)).items;
export const bulk = (items: CreateDocumentImportRequestInput['items'], by: By) =>
  content.imports.createDocumentImport({ items, collection: 'hr', metadata: { team: 'people' } }, by);
const isOver = ({ queued, fetching }: DocumentImport) => queued + fetching === 0;
export const over = ({ id: importId }: DocumentImport, by: By): Promise<DocumentImport> =>
  waitFor(
    async () => {
      const found = await content.imports.getDocumentImport({ importId }, by);
      return isOver(found) ? found : undefined;
    },
    { what: 'the end of the import' },
  );

/** Lets time pass until what is tried again is due, while nothing is being fetched. */
export async function untilRetried(isDone: () => Promise<boolean>, by: By): Promise<void> {
  await waitFor(
    async () => {
      if (await isDone()) return true;
      const found = await importsOf(by);
      if (found.some(({ fetching }) => fetching > 0)) return false;
      passedMs += 600_000;
      // Whoever asks for something wakes the worker.
      await content.imports.importDocument({ url: files.answer('/wake', saying('wake')) }, newMember());
      return false;
    },
    { what: 'the next attempts' },
  );
}

export function bytesOf(by: By): number {
  const directory = join(content.directory, 'objects', by.caller.organisationId ?? '');
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}
