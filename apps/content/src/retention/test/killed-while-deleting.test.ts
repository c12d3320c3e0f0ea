import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordedEvents } from '@platform-backend/mongo/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { startCrashTestContent, type CrashTestContent } from '../../../test/crash-test-content.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { oldThings } from './old-things.ts';

const DOCUMENTS = repetitions({ usual: 30, long: 1_000 });
const KILLS = repetitions({ usual: 1, long: 15 });

describe('a pass of a retention policy whose process is killed', () => {
  /** Keeps the database; works on nothing itself. */
  let beside: TestContent;
  let content: CrashTestContent;
  beforeAll(async () => {
    beside = await startTestContent({ idle: true, environment: { CONTENT_DOCUMENT_WORKERS: '0' } });
    content = await startCrashTestContent(beside.env, { maxAnswers: 1_000_000, maxKills: 0 });
  });
  afterAll(async () => {
    await content.stop();
    await beside.stop();
  });

  it('goes on where it was, deletes each thing once, and tells how many that were', async () => {
    const admin = member(newOrganisation(), 'ADMIN');
    const { organisationId = '' } = admin.caller;
    const things = oldThings(beside);
    const make = async (): Promise<void> => void (await things.document(admin, 100));
    for (let made = 0; made < DOCUMENTS; made += 10) await Promise.all(Array.from({ length: 10 }, make));
    const kept = await things.document(admin, 1);
    const left = async (): Promise<number> =>
      (await beside.documents.listDocuments({ limit: 1, includeTotal: true }, admin)).totalCount ?? 0;

    await beside.retention.updateRetentionPolicy({ documents: { days: 30, since: 'CHANGED' } }, admin);
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const enough = Math.floor((DOCUMENTS * (KILLS + 1 - kills)) / (KILLS + 1)) + 1;
      await waitFor(async () => (await left()) <= enough, { what: 'further deletions', interval: 5 });
      await content.kill();
      // What it had taken would be free in a minute, by the clock of the database.
      const policies = beside.frame?.storage.database.unguarded.collection<{ _id: string }>('retentionPolicies');
      await policies?.updateOne({ _id: organisationId, lastPass: { $exists: false } }, { $set: { dueAt: new Date() } });
    }
    const { documents } = await waitFor(
      async () => (await beside.retention.getRetentionPolicy({}, admin)).lastPass ?? undefined,
      { what: 'the end of the pass' },
    );
    expect(documents).toBe(DOCUMENTS);
    expect(await left()).toBe(1);
    expect((await beside.documents.getDocument({ documentId: kept }, admin)).id).toBe(kept);
    const events = (await recordedEvents(beside.database.url)).filter((one) => one.organisationid === organisationId);
    const subjects = events
      .filter(({ type }) => type === 'platform.v1.content.document.deleted')
      .map(({ data }) => data['document_id']);
    expect(new Set(subjects).size).toBe(DOCUMENTS);
    expect(subjects).toHaveLength(DOCUMENTS);
    expect(events.filter(({ type }) => type === 'platform.v1.content.retention_policy.enforced')).toHaveLength(1);
  });
});
