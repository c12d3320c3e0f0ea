import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf, refusalsOf } from '@platform-backend/service/testing';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

let content: TestContent;
beforeAll(async () => {
  content = await startTestContent({ idle: true, environment: { LLM_MODEL: 'm', LLM_OTHER_MODELS: 'large, small' } });
});
afterAll(() => content.stop());

const settings = {
  name: 'Lawyer',
  description: 'Knows our contracts',
  instructions: 'Quote the clause.',
  tools: ['search_documents' as const],
  collections: ['contracts'],
  documentIds: [],
  temperature: 0.2,
};
const mask = (...paths: string[]) => ({ updateMask: { paths } });

describe('assistants', () => {
  it('are those that everybody has and those that were made in the organisation', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const made = await content.assistants.createAssistant(settings, editor);
    expect(made).toMatchObject({ ...settings, model: '', version: 1, memberId: editor.caller.userId });
    const { organisationId = '' } = editor.caller;
    const available = await content.assistants.listAvailableAssistants({}, member(organisationId, 'VIEWER'));
    expect(available.default).toMatchObject([{ id: 'general', name: 'General assistant', createdAt: null }]);
    expect(available.custom).toMatchObject([{ id: made.id, name: 'Lawyer', createdAt: made.createdAt }]);
    const elsewhere = await content.assistants.listAvailableAssistants({}, member(newOrganisation()));
    expect(elsewhere.custom).toEqual([]);
    expect(elsewhere.default).toHaveLength(1);
  });

  it('have names of their own, whatever the capitals, and none that everybody has', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    await content.assistants.createAssistant(settings, editor);
    const other = await content.assistants.createAssistant({ ...settings, name: 'Clerk' }, editor);
    const refused = { kind: 'conflict', code: 'assistant_name_taken' };
    for (const name of ['LAWYER ', 'general', 'General Assistant']) {
      expect(await refusalOf(content.assistants.createAssistant({ ...settings, name }, editor))).toMatchObject(refused);
      const rename = { assistantId: other.id, name, ...mask('name') };
      expect(await refusalOf(content.assistants.updateAssistant(rename, editor))).toMatchObject(refused);
    }
  });

  it('name documents that are there, and may keep those that are gone since', async () => {
    const organisationId = newOrganisation();
    const editor = member(organisationId, 'EDITOR');
    const { documentId } = await content.documents.uploadDocument({ id: newId(), name: 'a.txt' }, editor);
    const { documentId: elsewhere } = await content.documents.uploadDocument(
      { id: newId(), name: 'a.txt' },
      member(newOrganisation(), 'EDITOR'),
    );
    const made = await content.assistants.createAssistant({ ...settings, documentIds: [documentId] }, editor);
    const named = { ...settings, name: 'Clerk', documentIds: [documentId, elsewhere] };
    const refused = { kind: 'invalid', violations: [{ loc: ['body', 'document_ids', 1], input: elsewhere }] };
    expect(await refusalOf(content.assistants.createAssistant(named, editor))).toMatchObject(refused);
    await content.documents.deleteDocument({ documentId }, editor);
    const change = (documentIds: string[]) =>
      content.assistants.updateAssistant({ assistantId: made.id, documentIds, ...mask('document_ids') }, editor);
    expect(await refusalOf(change([documentId, elsewhere]))).toMatchObject(refused);
    await change([documentId]);
  });

  it('look at documents with metadata that can be, which each version names and a change takes away', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const documentMetadata = { region: 'eu', department: 'hr=1' };
    const made = await content.assistants.createAssistant({ ...settings, documentMetadata }, editor);
    expect(made.documentMetadata).toEqual(documentMetadata);
    const change = { assistantId: made.id, documentMetadata: {}, ...mask('document_metadata') };
    expect(await content.assistants.updateAssistant(change, editor)).toMatchObject({
      documentMetadata: {},
      version: 2,
    });
    const { versions } = await content.assistants.listAssistantVersions({ assistantId: made.id }, editor);
    expect(versions.map((version) => version.documentMetadata)).toEqual([{}, documentMetadata]);
    const wrong = { ...settings, name: 'Clerk', documentMetadata: { 'a.b': 'c' } };
    expect(await refusalOf(content.assistants.createAssistant(wrong, editor))).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'document_metadata', 'a.b'] }],
    });
  });

  it('have no name of which nothing can be seen', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const blank = content.assistants.createAssistant({ ...settings, name: ' \u200b' }, editor);
    expect(await refusalOf(blank)).toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'name'] }] });
  });

  it('have one of the models of the deployment, or its usual one', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const { id: assistantId } = await content.assistants.createAssistant({ ...settings, model: 'small' }, editor);
    const change = { assistantId, model: 'unheard-of', ...mask('model') };
    expect(await refusalOf(content.assistants.updateAssistant(change, editor))).toMatchObject({
      kind: 'invalid',
      violations: [{ type: 'enum', loc: ['body', 'model'], ctx: { expected: "'m' or 'large' or 'small'" } }],
    });
    expect(await content.assistants.getAssistant({ assistantId }, editor)).toMatchObject({ model: 'small' });
  });

  it('keep what they have been, and are changed and deleted by who made them, or by ADMIN', async () => {
    const organisationId = newOrganisation();
    const [editor, other, admin] = [
      member(organisationId, 'EDITOR'),
      member(organisationId, 'EDITOR'),
      member(organisationId, 'ADMIN'),
    ];
    const { id: assistantId } = await content.assistants.createAssistant(settings, editor);
    const change = {
      assistantId,
      instructions: 'Be brief.',
      temperature: null,
      ...mask('instructions', 'temperature'),
    };
    expect(await content.assistants.updateAssistant(change, editor)).toMatchObject({ version: 2, temperature: null });
    expect(await content.assistants.updateAssistant(change, editor)).toMatchObject({ version: 2 });
    expect(await refusalOf(content.assistants.updateAssistant(change, other))).toMatchObject({ kind: 'forbidden' });
    expect(await refusalOf(content.assistants.deleteAssistant({ assistantId }, other))).toMatchObject({
      kind: 'forbidden',
    });
    const rename = { assistantId, name: 'Counsel', ...mask('name') };
    await content.assistants.updateAssistant(rename, admin);
    const { versions } = await content.assistants.listAssistantVersions({ assistantId }, other);
    expect(versions).toMatchObject([
      { version: 3, name: 'Counsel', actorId: admin.caller.userId },
      { version: 2, name: 'Lawyer', instructions: 'Be brief.', temperature: null },
      { version: 1, instructions: 'Quote the clause.', temperature: 0.2 },
    ]);
    const stranger = member(newOrganisation());
    for (const refusal of await refusalsOf([
      content.assistants.getAssistant({ assistantId }, stranger),
      content.assistants.listAssistantVersions({ assistantId }, stranger),
      content.assistants.updateAssistant(rename, stranger),
      content.assistants.deleteAssistant({ assistantId }, stranger),
    ]))
      expect(refusal).toMatchObject({ kind: 'not_found' });
    await content.assistants.deleteAssistant({ assistantId }, admin);
    expect(await refusalOf(content.assistants.getAssistant({ assistantId }, editor))).toMatchObject({
      kind: 'not_found',
    });
    expect((await content.assistants.listAssistants({}, editor)).assistants).toEqual([]);
  });

  it('keep the last hundred of what they have been', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const { id: assistantId } = await content.assistants.createAssistant(settings, editor);
    for (let change = 1; change <= 101; change += 1) {
      const changed = { assistantId, description: String(change), ...mask('description') };
      await content.assistants.updateAssistant(changed, editor);
    }
    const request = { assistantId, limit: 200, includeTotal: true };
    const { versions, totalCount } = await content.assistants.listAssistantVersions(request, editor);
    expect([totalCount, versions.at(0)?.version, versions.at(-1)?.version]).toEqual([100, 102, 3]);
  });

  it('take no temperature beyond 2', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const hot = content.assistants.createAssistant({ ...settings, temperature: 2.1 }, editor);
    expect(await refusalOf(hot)).toMatchObject({
      kind: 'invalid',
      violations: [{ type: 'less_than_equal', loc: ['body', 'temperature'] }],
    });
  });
});
