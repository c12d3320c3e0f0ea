import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { openLibrary, stored, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalsOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

describe('conventions', () => {
  let events: Library;
  let content: TestContent;
  beforeAll(async () => {
    events = await openLibrary();
    content = await startTestContent({ natsUrl: events.nats.url, encoder: 'shipped' });
  });
  afterAll(async () => {
    await content.stop();
    await events.close();
  });

  it('are created, listed, changed and deleted within their organisation', async () => {
    const [ours, theirs] = [member(newOrganisation()), member(newOrganisation())];
    const created = await content.conventions.createConvention({ title: 'Tone', content: 'Be brief.' }, ours);
    const { id: conventionId } = created;
    expect(await content.conventions.getConvention({ conventionId }, ours)).toEqual(created);
    const listed = [{ ...created, embedding: [] }];
    expect((await content.conventions.listConventions({}, ours)).conventions).toEqual(listed);
    expect((await content.conventions.listConventions({}, theirs)).conventions).toEqual([]);

    const change = { conventionId, content: 'Be kind.', updateMask: { paths: ['content'] } };
    expect(await content.conventions.updateConvention(change, ours)).toMatchObject({
      title: 'Tone',
      content: 'Be kind.',
    });
    for (const refusal of await refusalsOf([
      content.conventions.updateConvention(change, theirs),
      content.conventions.getConvention({ conventionId }, theirs),
      content.conventions.listConventionHistory({ conventionId }, theirs),
      content.conventions.deleteConvention({ conventionId }, theirs),
    ]))
      expect(refusal).toMatchObject({ kind: 'not_found' });

    const deleted = { id: conventionId, deleted: true };
    expect(await content.conventions.deleteConvention({ conventionId }, ours)).toEqual(deleted);
    for (const refusal of await refusalsOf([
      content.conventions.getConvention({ conventionId }, ours),
      content.conventions.listConventionHistory({ conventionId }, ours),
      content.conventions.deleteConvention({ conventionId }, ours),
    ]))
      expect(refusal).toMatchObject({ kind: 'not_found' });
  });

  it('have an embedding of unit length, which is another one after a change', async () => {
    const ours = member(newOrganisation());
    const created = await content.conventions.createConvention({ title: 'Tone', content: 'Be brief.' }, ours);
    expect(Math.hypot(...created.embedding)).toBeCloseTo(1, 3);
    const change = { conventionId: created.id, content: 'Sums are in euros.', updateMask: { paths: ['content'] } };
    const changed = await content.conventions.updateConvention(change, ours);
    expect(changed.embedding).toHaveLength(created.embedding.length);
    expect(changed.embedding).not.toEqual(created.embedding);
    const renamed = { conventionId: created.id, title: 'Money', updateMask: { paths: ['title'] } };
    expect((await content.conventions.updateConvention(renamed, ours)).embedding).not.toEqual(changed.embedding);
  });

  it('keep what they were, and who changed what', async () => {
    const organisationId = newOrganisation();
    const [ann, bob] = [member(organisationId), member(organisationId, 'EDITOR')];
    const { id: conventionId } = await content.conventions.createConvention({ title: 'Tone', content: 'Brief.' }, ann);
    const change = { conventionId, content: 'Kind.', updateMask: { paths: ['content'] } };
    await content.conventions.updateConvention(change, bob);
    await content.conventions.updateConvention(change, ann);
    const history = async (request: object) =>
      content.conventions.listConventionHistory({ conventionId, ...request }, ann);
    const { versions, totalCount } = await history({ includeTotal: true });
    expect(totalCount).toBe(2);
    expect(versions).toMatchObject([
      { actorId: bob.caller.userId, changedFields: ['content'], title: 'Tone', content: 'Kind.' },
      { actorId: ann.caller.userId, changedFields: ['title', 'content'], title: 'Tone', content: 'Brief.' },
    ]);
    const page = await history({ limit: 1, order: 'asc' });
    expect(page.versions).toMatchObject([{ content: 'Brief.' }]);
    expect((await history({ limit: 1, order: 'asc', cursor: page.nextCursor })).versions).toMatchObject([
      { content: 'Kind.' },
    ]);
  });

  it('are listed by title and time', async () => {
    const ours = member(newOrganisation());
    for (const title of ['Tone', 'Money', 'Tone'])
      await content.conventions.createConvention({ title, content: 'Text.' }, ours);
    const { conventions } = await content.conventions.listConventions({ order: 'asc' }, ours);
    const titles = async (request: object) =>
      (await content.conventions.listConventions({ order: 'asc', ...request }, ours)).conventions.map(
        ({ title }) => title,
      );
    expect(await titles({ title: 'Tone' })).toEqual(['Tone', 'Tone']);
    expect(await titles({ createdAfter: conventions[0]?.createdAt })).toEqual(['Money', 'Tone']);
    expect(await titles({ createdBefore: conventions[2]?.createdAt, title: 'Tone' })).toEqual(['Tone']);
  });

  it('are found by what they mean and by their words, as they are now', async () => {
    const [ours, theirs] = [member(newOrganisation()), member(newOrganisation())];
    const written = {
      Money: 'Sums are given in euros, with two decimals and a thin space before the sign.',
      Tone: 'We write letters to customers in a friendly voice and without foreign words.',
      Dates: 'The year comes first, then month and day.',
    };
    const ids = new Map<string, string>();
    for (const [title, text] of Object.entries(written))
      ids.set(title, (await content.conventions.createConvention({ title, content: text }, ours)).id);
    const titles = async (request: { query: string; limit?: number; mode?: 'keyword' }, caller = ours) =>
      (await content.conventions.searchConventions(request, caller)).hits.map(({ convention }) => convention?.title);
    expect(await titles({ query: 'How polite should an e-mail to a client be?', limit: 1 })).toEqual(['Tone']);
    expect(await titles({ query: 'decimals', mode: 'keyword' })).toEqual(['Money']);
    expect(await titles({ query: 'decimals', mode: 'keyword' }, theirs)).toEqual([]);
    const { hits } = await content.conventions.searchConventions({ query: 'decimals', mode: 'keyword' }, ours);
    expect(hits[0]?.quote).toMatchObject({ text: written.Money, highlights: [{ start: 34, end: 42 }] });

    const conventionId = ids.get('Money') ?? '';
    const change = { conventionId, content: 'Whole francs.', updateMask: { paths: ['content'] } };
    await content.conventions.updateConvention(change, ours);
    expect(await titles({ query: 'decimals', mode: 'keyword' })).toEqual([]);
    expect(await titles({ query: 'francs', mode: 'keyword' })).toEqual(['Money']);
    await content.conventions.deleteConvention({ conventionId }, ours);
    expect(await titles({ query: 'francs', mode: 'keyword' })).toEqual([]);
    expect(await titles({ query: 'money', limit: 10 })).toHaveLength(2);
  });

  it('are found although whoever wrote them was killed before the search knew', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const { id } = await content.conventions.createConvention({ title: 'Tone', content: 'Be brief.' }, ours);
    const database = content.frame?.storage.database;
    // What a process leaves behind that was killed after its transaction.
    await database?.tenant(organisationId, async () => {
      await database.model('searchSources').deleteMany({}).exec();
      await database.model('passages').deleteMany({}).exec();
      const note = { change: newId(), dueAt: new Date(), takenUntil: new Date(0) };
      await database.model('conventionsToIndex').updateOne({ _id: id }, { $set: note }, { upsert: true }).exec();
    });
    const isFound = async () =>
      (await content.conventions.searchConventions({ query: 'brief', mode: 'keyword' }, ours)).hits.length === 1;
    await waitFor(isFound, { what: 'the convention in a search' });
  });

  it('tell of each change once, with what may stand in the audit log', async () => {
    const ours = member(newOrganisation());
    const { id: conventionId } = await content.conventions.createConvention({ title: 'Tone', content: 'Brief.' }, ours);
    const change = { conventionId, title: 'Voice', updateMask: { paths: ['title'] } };
    await content.conventions.updateConvention(change, ours);
    await content.conventions.updateConvention(change, ours);
    await content.conventions.deleteConvention({ conventionId }, ours);
    const told = async () =>
      (await stored(events.bus)).flatMap(({ subject, event }) =>
        event.subject === conventionId ? [subject.replace('platform.v1.content.', '')] : [],
      );
    await waitFor(async () => (await told()).includes('convention.deleted'), { what: 'the events' });
    expect((await told()).filter((name) => name.startsWith('convention.'))).toEqual([
      'convention.created',
      'convention.updated',
      'convention.deleted',
    ]);
  });
});
