import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { member, newOrganisation, refusalOf, refusalsOf } from '@platform-backend/service/testing';
import { extractText } from 'unpdf';
import { actingAs, conversationsOf } from '../../../test/conversation-under-test.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { purgeReports } from '../app/purge-reports.ts';
import { reportsStore } from '../store/reports-store.ts';

const written = { title: 'Third quarter', markdown: 'Revenue **grew**.' };
const mask = (...paths: string[]) => ({ updateMask: { paths } });

const silent = createLogger({ service: 'content', level: 'silent' });

describe('reports', () => {
  let content: TestContent;
  beforeAll(async () => {
    content = await startTestContent({ idle: true });
  });
  afterAll(() => content.stop());

  const titles = async (request: object, by: object): Promise<string[]> =>
    (await content.reports.listReports(request, by)).reports.map(({ title }) => title);

  it('are written, read, changed and listed, newest first', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const created = await content.reports.createReport(written, editor);
    const { id: reportId } = created;
    expect(created).toMatchObject({ ...written, version: 1, authorId: editor.caller.userId });
    expect(await content.reports.getReport({ reportId }, editor)).toEqual(created);
    const change = { reportId, markdown: 'Revenue fell.', version: 1, ...mask('markdown') };
    expect(await content.reports.updateReport(change, editor)).toMatchObject({ version: 2, markdown: 'Revenue fell.' });
    await content.reports.createReport({ ...written, title: 'Fourth (a+b)' }, editor);
    expect(await titles({}, editor)).toEqual(['Fourth (a+b)', 'Third quarter']);
    expect(await titles({ order: 'asc', limit: 1 }, editor)).toEqual(['Third quarter']);
    expect(await titles({ search: '(A+' }, editor)).toEqual(['Fourth (a+b)']);
    expect(await titles({ createdBefore: created.createdAt ?? null }, editor)).toEqual([]);
    expect((await content.reports.listReports({ includeTotal: true, limit: 1 }, editor)).totalCount).toBe(2);
  });

  it('are made of messages that the caller may read, and of nothing else', async () => {
    const organisationId = newOrganisation();
    const [editor, other] = [member(organisationId, 'EDITOR'), member(organisationId, 'EDITOR')];
    const said = conversationsOf(content);
    const { conversationId } = await said.ask(actingAs(editor), 'How was the **third** quarter?');
    const { messages } = await content.messages.listMessages({ conversationId, senderType: 'USER' }, editor);
    const messageId = messages[0]?.id ?? '';
    const made = await content.reports.createReport({ messageId }, editor);
    expect(made).toMatchObject({
      messageId,
      title: 'How was the third quarter?',
      markdown: 'How was the **third** quarter?',
    });
    expect(await content.reports.createReport({ messageId, title: 'Mine' }, editor)).toMatchObject({ title: 'Mine' });
    const key = (...scopes: string[]) => {
      const { level = 'EDITOR', userId } = editor.caller;
      const by = {
        kind: 'api_key',
        service: 'gateway',
        organisationId,
        apiKeyId: newId(),
        userId,
        level,
        scopes,
      } as const;
      return { ...editor, caller: by };
    };
    expect(await refusalOf(content.reports.createReport({ messageId }, key('reports:write')))).toMatchObject({
      kind: 'forbidden',
    });
    const run = { pipelineId: newId(), runId: newId() };
    expect(await refusalOf(content.reports.createReport({ run }, key('reports:write')))).toMatchObject({
      kind: 'forbidden',
    });
    const reading = key('reports:write', 'messages:read');
    expect(await content.reports.createReport({ messageId }, reading)).toMatchObject({ messageId });
    const unfinished = (await said.start(actingAs(editor), 'And now?')).answer.id;
    expect(await refusalOf(content.reports.createReport({ messageId: unfinished }, editor))).toMatchObject({
      code: 'message_not_finished',
    });
    const theirs = [content.reports.createReport({ messageId }, other)];
    for (const refusal of await refusalsOf([...theirs, content.reports.createReport({ messageId: newId() }, editor)])) {
      expect(refusal).toMatchObject({ kind: 'not_found', message: 'Message not found' });
    }
    for (const wanted of [{}, { ...written, messageId }]) {
      expect(await refusalOf(content.reports.createReport(wanted, editor))).toMatchObject({ kind: 'invalid' });
    }
  });

  it('of an answer show what it cites, on the page and on paper', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const citation = { number: 1, kind: 'DOCUMENT', id: newId(), start: 0, end: 5 } as const;
    const citations = [{ ...citation, title: 'Handbook', page: 7, quote: 'Receipts are attached.' }];
    const { answer } = await conversationsOf(content).ask(actingAs(editor), 'See [1]', { citations });
    const { id: reportId } = await content.reports.createReport({ messageId: answer.id }, editor);
    const { content: html } = await content.reports.getReportHtml({ reportId }, editor);
    const source = '<p>[1] <strong>Handbook</strong>, page 7: “Receipts are attached.”</p>';
    expect(Buffer.from(html).toString()).toContain(source);
    const { content: pdf } = await content.reports.getReportPdf({ reportId }, editor);
    const { text } = await extractText(new Uint8Array(pdf), { mergePages: true });
    expect(text.replaceAll(/\s+/g, ' ')).toContain('[1] Handbook, page 7: “Receipts are attached.”');
  });

  it('are changed by who knows the last version', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const { id: reportId } = await content.reports.createReport(written, editor);
    const change = (title: string, version: number | null) =>
      content.reports.updateReport({ reportId, title, version, ...mask('title') }, editor);
    const both = await Promise.allSettled([change('One', 1), change('Two', 1)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await refusalOf(change('Three', 1))).toMatchObject({ kind: 'conflict', code: 'report_changed' });
    expect(await change('Three', null)).toMatchObject({ title: 'Three', version: 3 });
  });

  it('belong to their author, and are open to ADMIN alone', async () => {
    const organisationId = newOrganisation();
    const [author, other, admin] = [
      member(organisationId, 'EDITOR'),
      member(organisationId, 'EDITOR'),
      member(organisationId, 'ADMIN'),
    ];
    const { id: reportId } = await content.reports.createReport(written, author);
    for (const by of [other, member(newOrganisation(), 'OWNER')]) {
      for (const refusal of await refusalsOf([
        content.reports.getReport({ reportId }, by),
        content.reports.getReportHtml({ reportId }, by),
        content.reports.getReportPdf({ reportId }, by),
        content.reports.updateReport({ reportId, title: 'Mine', ...mask('title') }, by),
        content.reports.deleteReport({ reportId }, by),
        content.reports.restoreReport({ reportId }, by),
      ])) {
        expect(refusal).toMatchObject({ kind: 'not_found', message: 'Report not found' });
      }
      expect(await titles({}, by)).toEqual([]);
      expect(await titles({ authorId: author.caller.userId ?? '' }, by)).toEqual([]);
    }
    expect(await titles({}, admin)).toEqual(['Third quarter']);
    expect(await titles({ authorId: other.caller.userId ?? '' }, admin)).toEqual([]);
    expect(await content.reports.deleteReport({ reportId }, admin)).toEqual({ id: reportId, deleted: true });
  });

  it('that are deleted are found among the deleted alone, and come back', async () => {
    const editor = member(newOrganisation(), 'EDITOR');
    const { id: reportId } = await content.reports.createReport(written, editor);
    expect(await content.reports.deleteReport({ reportId }, editor)).toEqual({ id: reportId, deleted: true });
    expect(await refusalOf(content.reports.deleteReport({ reportId }, editor))).toMatchObject({ kind: 'not_found' });
    expect(await refusalOf(content.reports.getReport({ reportId }, editor))).toMatchObject({ kind: 'not_found' });
    expect(await titles({}, editor)).toEqual([]);
    const { reports } = await content.reports.listReports({ deleted: true }, editor);
    expect(reports).toMatchObject([{ id: reportId, deletedAt: expect.any(Date) }]);
    for (const _time of ['once', 'again']) {
      expect(await content.reports.restoreReport({ reportId }, editor)).toMatchObject({ ...written, version: 1 });
    }
    expect(await titles({}, editor)).toEqual(['Third quarter']);
  });

  it('are gone 30 days after they were deleted, and not before', async () => {
    const owner = member(newOrganisation());
    const [kept, gone] = [
      await content.reports.createReport(written, owner),
      await content.reports.createReport(written, owner),
    ];
    await content.reports.deleteReport({ reportId: gone.id }, owner);
    const database = content.frame?.storage.database;
    if (!database) throw new Error('the service runs elsewhere');
    const reports = reportsStore(database);
    const days = (count: number) => fixedClock(new Date(Date.now() + count * 86_400_000));
    const { signal } = new AbortController();
    const purge = (day: number) => purgeReports({ reports, clock: days(day), logger: silent }, signal);
    await purge(29);
    expect(await content.reports.restoreReport({ reportId: gone.id }, owner)).toMatchObject({ id: gone.id });
    await content.reports.deleteReport({ reportId: gone.id }, owner);
    await purge(31);
    expect(await refusalOf(content.reports.restoreReport({ reportId: gone.id }, owner))).toMatchObject({
      kind: 'not_found',
    });
    expect(await content.reports.getReport({ reportId: kept.id }, owner)).toEqual(kept);
  });

  it('are shown as a page and as a document', async () => {
    const viewer = member(newOrganisation());
    const { id: reportId } = await content.reports.createReport(written, viewer);
    const { content: html } = await content.reports.getReportHtml({ reportId }, viewer);
    expect(Buffer.from(html).toString()).toContain('Revenue <strong>grew</strong>.');
    const { content: pdf } = await content.reports.getReportPdf({ reportId }, viewer);
    expect(Buffer.from(pdf).toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('fill pages of a list with what is shown of them, however long they are', async () => {
    const owner = member(newOrganisation());
    const markdown = 'x'.repeat(250_000);
    for (let count = 0; count < 6; count += 1) await content.reports.createReport({ ...written, markdown }, owner);
    expect(await titles({}, owner)).toHaveLength(6);
    const large = content.reports.createReport({ title: 'x', markdown: 'ä'.repeat(200_000) }, owner);
    expect(await refusalOf(large)).toMatchObject({ kind: 'invalid' });
  });
});
