import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RetentionPolicy, UpdateRetentionPolicyRequestInput } from '@platform-backend/contract-content';
import { recordedEvents } from '@platform-backend/mongo/testing';
import { member, newOrganisation, refusalOf, refusalsOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { oldThings } from './old-things.ts';

type By = ReturnType<typeof member>;

let content: TestContent;
let things: ReturnType<typeof oldThings>;
beforeAll(async () => {
  content = await startTestContent();
  things = oldThings(content);
});
afterAll(() => content.stop());

const put = (rules: UpdateRetentionPolicyRequestInput, by: By): Promise<RetentionPolicy> =>
  content.retention.updateRetentionPolicy(rules, by);
const preview = (rules: UpdateRetentionPolicyRequestInput, by: By) =>
  content.retention.previewRetentionPolicy(rules, by);
const policyOf = (by: By) => content.retention.getRetentionPolicy({}, by);
const passed = (by: By) =>
  waitFor(async () => (await policyOf(by)).lastPass ?? undefined, { what: 'the end of the pass' });

const documentsOf = async (by: By): Promise<readonly string[]> =>
  (await content.documents.listDocuments({ limit: 200 }, by)).documents.map(({ id }) => id).toSorted();
const told = async (by: By): Promise<readonly string[]> =>
  (await recordedEvents(content.database.url))
    .filter(({ organisationid }) => organisationid === by.caller.organisationId)
    .map(({ type }) => type.replace('platform.v1.content.', ''));

describe('a retention policy', () => {
  it('deletes what is older than its rules say, as somebody would, and keeps all else', async () => {
    const admin = member(newOrganisation(), 'ADMIN');
    const text = 'A wombat digs burrows in the hills. '.repeat(5);
    const old = await things.document(admin, 400, { text });
    const kept = [
      await things.document(admin, 300),
      await things.document(admin, 4_000, { collection: 'contracts' }),
      await things.document(admin, 100, { collection: 'applications' }),
    ];
    const exempt = await things.document(admin, 4_000);
    const archived = await things.document(admin, 0);
    await content.documents.archiveDocument({ documentId: archived }, admin);
    await things.backdate('documents', `${admin.caller.organisationId ?? ''}:${archived}`, 400);
    const exempted = await content.documents.setDocumentRetention({ documentId: exempt, exempt: true }, admin);
    expect(exempted.retentionExempt).toBe(true);
    await things.document(admin, 200, { collection: 'applications' });
    const [oldTalk, newTalk] = [await things.conversation(admin, 40), await things.conversation(admin, 20)];
    const [oldSpeech, newSpeech] = [await things.transcription(admin, 8), await things.transcription(admin, 6)];
    const search = { query: 'wombat burrows', mode: 'keyword' as const, kinds: ['DOCUMENT' as const] };
    expect((await content.search.search(search, admin)).hits).toHaveLength(1);

    const rules: UpdateRetentionPolicyRequestInput = {
      documents: { days: 365, since: 'CHANGED' },
      collections: [
        { collection: 'contracts', rule: null },
        { collection: 'applications', rule: { days: 180, since: 'CREATED' } },
      ],
      conversations: { days: 30, since: 'CHANGED' },
      transcriptions: { days: 7, since: 'CREATED' },
    };
    const before = await documentsOf(admin);
    const seen = await preview(rules, admin);
    expect(seen).toMatchObject({ documents: 3, conversations: 1, transcriptions: 1 });
    expect(seen.examples.map(({ id }) => id)).toContain(old);
    expect(await documentsOf(admin)).toEqual(before);

    expect(await put(rules, admin)).toMatchObject({ ...rules, updatedAt: expect.any(Date), lastPass: null });
    expect(await passed(admin)).toMatchObject({ documents: 3, conversations: 1, transcriptions: 1 });
    expect(await documentsOf(admin)).toEqual([...kept, exempt].toSorted());
    expect(await refusalOf(content.documents.getDocument({ documentId: archived }, admin))).toMatchObject({
      code: 'document_not_found',
    });
    expect((await content.search.search(search, admin)).hits).toEqual([]);
    const { conversations } = await content.conversations.listConversations({}, admin);
    expect(conversations.map(({ id }) => id)).toEqual([newTalk]);
    await waitFor(
      async () =>
        (await content.messages.listMessages({}, admin)).messages.every(
          ({ conversationId }) => conversationId !== oldTalk,
        ),
      { what: 'the removal of messages' },
    );
    const { transcriptions } = await content.transcriptions.listTranscriptions({}, admin);
    expect(transcriptions.map(({ id }) => id)).toEqual([newSpeech]);
    expect(
      await refusalOf(content.transcriptions.getTranscription({ transcriptionId: oldSpeech }, admin)),
    ).toMatchObject({
      kind: 'not_found',
    });

    const events = await told(admin);
    const count = (type: string) => events.filter((one) => one === type).length;
    expect(count('document.deleted')).toBe(3);
    expect(count('conversation.deleted')).toBe(1);
    expect(count('transcription.deleted')).toBe(1);
    expect(count('retention_policy.updated')).toBe(1);
    expect(count('retention_policy.enforced')).toBe(1);
  });

  it('is off until somebody sets it, and what is old in another organisation stays', async () => {
    const [here, there] = [member(newOrganisation(), 'OWNER'), member(newOrganisation(), 'OWNER')];
    const stays = await things.document(there, 5_000);
    await things.document(here, 5_000);
    expect(await policyOf(there)).toEqual({
      ...{ documents: null, collections: [], conversations: null, transcriptions: null },
      ...{ updatedAt: null, lastPass: null },
    });
    await put({ documents: { days: 1, since: 'CHANGED' } }, here);
    expect(await passed(here)).toMatchObject({ documents: 1 });
    expect(await documentsOf(here)).toEqual([]);
    expect(await documentsOf(there)).toEqual([stays]);
    expect(await policyOf(there)).toMatchObject({ documents: null, updatedAt: null });
  });

  it('deletes more than it does at a time, however many of them are exempt', async () => {
    const admin = member(newOrganisation(), 'ADMIN');
    const ids: string[] = [];
    for (let count = 0; count < 60; count += 1) ids.push(await things.document(admin, 100 + count));
    const exempt = ids.slice(-3);
    for (const documentId of exempt) await content.documents.setDocumentRetention({ documentId, exempt: true }, admin);
    await put({ documents: { days: 50, since: 'CREATED' } }, admin);
    expect(await passed(admin)).toMatchObject({ documents: 57 });
    expect(await documentsOf(admin)).toEqual(exempt.toSorted());
    const [released] = exempt;
    await content.documents.setDocumentRetention({ documentId: released ?? '', exempt: false }, admin);
    await put({ documents: { days: 51, since: 'CREATED' } }, admin);
    await waitFor(async () => (await policyOf(admin)).lastPass?.documents === 1, { what: 'the next pass' });
    expect(await documentsOf(admin)).toEqual(exempt.slice(1).toSorted());
  });

  it('is refused where a collection has two rules, and by those who are no administrators', async () => {
    const admin = member(newOrganisation(), 'ADMIN');
    const collections = [
      { collection: 'a', rule: null },
      { collection: 'a', rule: { days: 3, since: 'CHANGED' as const } },
    ];
    for (const call of [put, preview])
      expect(await refusalOf(call({ collections }, admin))).toMatchObject({ kind: 'invalid' });
    expect(await policyOf(admin)).toMatchObject({ collections: [], updatedAt: null });
    const documentId = await things.document(admin, 0);
    const editor = member(admin.caller.organisationId ?? '', 'EDITOR');
    for (const refusal of await refusalsOf([
      put({ documents: { days: 1, since: 'CHANGED' } }, editor),
      preview({}, editor),
      policyOf(editor),
      content.documents.setDocumentRetention({ documentId, exempt: true }, editor),
    ]))
      expect(refusal).toMatchObject({ kind: 'forbidden' });
  });
});
