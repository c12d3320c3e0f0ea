import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type DomainError } from '@platform-backend/core';
import { openLibrary, stored, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCrashTestContent, type CrashTestContent } from '../../../test/crash-test-content.ts';
import { documentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

const DOCUMENTS = repetitions({ usual: 6, long: 200 });
/** How many clients are at it at once. */
const CLIENTS = repetitions({ usual: 3, long: 10 });
/** Of each life at most so many calls are answered: time says nothing about how far a service came. */
const MAX_ANSWERS = (2 * DOCUMENTS) / 3;
const MAX_KILLS = repetitions({ usual: 1, long: Infinity });
/** How often it is killed once more while it processes what has come; in the usual form it is while it processes new versions. */
const KILLS_AFTERWARDS = repetitions({ usual: 0, long: 3 });
/** Of so many documents a new version comes then, and it is killed once more. */
const VERSIONS = repetitions({ usual: 2, long: 40 });

/** What a client knows of a document, by answers alone. */
interface Known {
  readonly id: string;
  name: string;
  deleted: boolean;
}

describe('documents of a service that is killed at random', () => {
  let events: Library;
  /** Keeps the database; works on nothing itself. */
  let beside: TestContent;
  let content: CrashTestContent;
  beforeAll(async () => {
    events = await openLibrary();
    beside = await startTestContent({ idle: true, environment: { CONTENT_DOCUMENT_WORKERS: '0' } });
    const env = {
      ...beside.env,
      NATS_URL: events.nats.url,
      CONTENT_DOCUMENT_WORKERS: '2',
      CONTENT_DOCUMENT_LEASE_SECONDS: '3',
    };
    content = await startCrashTestContent(env, { maxAnswers: MAX_ANSWERS, maxKills: MAX_KILLS });
  });
  afterAll(async () => {
    await content.stop();
    await beside.stop();
    await events.close();
  });

  it('are never lost once they were acknowledged, nor their events, and nothing is left stuck', async () => {
    const by = member(newOrganisation());
    const organisationId = by.caller.organisationId ?? '';
    const documents = documentClient(content);
    const untilAnswered = <T>(call: () => Promise<T>, isDone?: (error: DomainError) => boolean) =>
      content.untilAnswered(call, ['unavailable', 'deadline_exceeded', 'internal', 'malformed'], isDone);

    const known: Known[] = [];
    const work = async (): Promise<void> => {
      while (known.length < DOCUMENTS) {
        const number = known.length;
        const document: Known = { id: newId(), name: `${number}.txt`, deleted: false };
        known.push(document);
        const { id: documentId, name } = document;
        const upload = await untilAnswered(() => content.documents.uploadDocument({ id: documentId, name }, by));
        const text = `Document number ${number} is on foxes. `.repeat(50);
        await untilAnswered(() => documents.put(upload?.signedUrl ?? '', text));
        if (number % 2 === 0) {
          const changed = { documentId, name: `renamed ${number}.txt`, updateMask: { paths: ['name'] } };
          await untilAnswered(() => content.documents.updateDocument(changed, by));
          document.name = changed.name;
        }
        if (number % 5 === 0) {
          await untilAnswered(
            () => content.documents.deleteDocument({ documentId }, by),
            ({ kind }) => kind === 'not_found',
          );
          document.deleted = true;
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    expect(await content.spare()).toBeGreaterThanOrEqual(Math.min(MAX_KILLS, 2));

    const [kept, deleted] = [known.filter((one) => !one.deleted), known.filter((one) => one.deleted)];
    const listed = async () => {
      const page = await content.documents.listDocuments({ limit: 200, includeTotal: true }, by);
      return new Map(page.documents.map((document) => [document.id, document]));
    };
    const unsettled = async () =>
      [...(await listed()).values()].filter(({ status }) => status === 'UPLOADED' || status === 'PROCESSING').length;
    // As long as there are fewer of them there is something to wait for.
    let kills = 0;
    for (let left = DOCUMENTS, before = left + 1; left > 0; before = left) {
      await waitFor(async () => (left = await unsettled()) < before, { what: 'the end of all processing' });
      if (left > 0 && (kills += 1) <= KILLS_AFTERWARDS) await content.kill();
    }
    const present = await listed();
    expect([...present.keys()].sort()).toEqual(kept.map(({ id }) => id).sort());
    for (const { id, name } of kept) expect(present.get(id)).toMatchObject({ name, status: 'READY', failure: null });

    const renewed = kept.slice(0, VERSIONS);
    await Promise.all(
      renewed.map(async ({ id: documentId }) => {
        const upload = await untilAnswered(() => content.documents.uploadDocumentVersion({ documentId }, by));
        await untilAnswered(() => documents.put(upload?.signedUrl ?? '', 'A new version is on badgers. '.repeat(50)));
      }),
    );
    await content.kill();
    const versions = async () => {
      const page = await listed();
      return renewed.map(({ id }) => page.get(id));
    };
    await waitFor(
      async () => {
        const present = await versions();
        // What it has is there all the time.
        expect(present.every((document) => document?.status === 'READY')).toBe(true);
        return present.every((document) => document?.version === 2);
      },
      { what: 'the new versions' },
    );
    for (const { id: documentId } of renewed)
      expect((await documents.get(documentId, by)).content).toContain('badgers');

    const own = { organisationId };
    const count = (collection: string, filter = {}) =>
      beside.frame?.storage.database.unguarded.collection(collection).countDocuments({ ...own, ...filter });
    const bytes = () =>
      readdirSync(join(beside.directory, 'objects', organisationId), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile(),
      ).length;
    const texts = kept.length + renewed.length;
    await waitFor(() => bytes() === texts, { what: 'the removal of bytes' });
    await waitFor(async () => (await count('documentTexts')) === texts, { what: 'the removal of texts' });
    expect(await count('documents', { lease: { $ne: null } })).toBe(0);
    expect(await count('documents', { workOf: { $exists: true } })).toBe(0);

    const told = async () => {
      const byId = new Map<string, string[]>();
      for (const { subject, event } of await stored(events.bus)) {
        const name = subject.replace('platform.v1.content.document.', '');
        byId.set(event.subject, [...(byId.get(event.subject) ?? []), name]);
      }
      return byId;
    };
    const isTold = async () => {
      const names = await told();
      return (
        kept.every(({ id }) => names.get(id)?.at(-1) === 'ready' || names.get(id)?.includes('ready')) &&
        deleted.every(({ id }) => names.get(id)?.at(-1) === 'deleted')
      );
    };
    await waitFor(isTold, { what: 'all events' });
    const names = await told();
    for (const { id } of known) expect(names.get(id)?.filter((name) => name === 'uploaded')).toHaveLength(1);
    for (const { id } of deleted) expect(names.get(id)?.filter((name) => name === 'deleted')).toHaveLength(1);
    for (const { id, name } of kept)
      expect(names.get(id)?.filter((one) => one === 'updated')).toHaveLength(name.startsWith('renamed') ? 1 : 0);
  }, 900_000);
});
