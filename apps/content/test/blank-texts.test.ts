import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { startTestContent, type TestContent } from './test-content.ts';

describe('a text of which nothing can be seen', () => {
  let content: TestContent;
  beforeAll(async () => {
    content = await startTestContent({ idle: true, encoder: 'shipped' });
  });
  afterAll(() => content.stop());
  const ours = member(newOrganisation());

  it.each([' \n', '\u00a0', '\u200b'])('is no name, no text and nothing to look for: %j', async (blank) => {
    const refused: readonly (readonly [field: string, call: () => Promise<unknown>])[] = [
      ['name', () => content.documents.uploadDocument({ id: newId(), name: blank }, ours)],
      ['name', () => content.assistants.createAssistant({ name: blank }, ours)],
      ['title', () => content.conventions.createConvention({ title: blank, content: 'Be brief.' }, ours)],
      ['content', () => content.conventions.createConvention({ title: 'Tone', content: blank }, ours)],
      ['title', () => content.reports.createReport({ title: blank, markdown: 'Text.' }, ours)],
      ['markdown', () => content.reports.createReport({ title: 'Quarter', markdown: blank }, ours)],
      ['query', () => content.search.search({ query: blank }, ours)],
      ['query', () => content.conventions.searchConventions({ query: blank }, ours)],
    ];
    for (const [field, call] of refused)
      expect(await refusalOf(call())).toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', field] }] });
    expect((await content.conventions.listConventions({}, ours)).conventions).toEqual([]);
  });
});
