import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { openAiDouble, type OpenAiDouble } from '../../../test/openai-double.ts';
import { silence } from '../../../test/silence.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';

describe('beside assistants a client of OpenAI', () => {
  let ledger: CreditLedger;
  let speech: OpenAiDouble;
  let content: TestContent;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    speech = await openAiDouble(() => ({
      body: {
        text: 'Good day.',
        language: 'english',
        duration: 1,
        segments: [{ start: 0, end: 1, text: 'Good day.' }],
      },
    }));
    content = await startTestContent({
      environment: {
        BILLING_ADDRESS: ledger.address,
        TRANSCRIPTION_BASE_URL: speech.baseUrl,
      },
    });
  });
  afterAll(async () => {
    await content.stop();
    await Promise.all([speech.close(), ledger.close()]);
  });

  it('gets meanings by the encoder of the platform alone, as numbers or bytes, for organisations with credits', async () => {
    const by = member(newOrganisation());
    const { data: models } = await content.openAi.listModels({}, by);
    const model = models.find(({ name }) => name === 'Embeddings')?.id ?? '';
    expect(await content.openAi.getModel({ model }, by)).toMatchObject({ id: model, ownedBy: 'platform' });
    const embed = (more: object = {}, caller = by) =>
      content.openAi.createEmbeddings({ model, input: ['holidays', 'printer'], ...more }, caller);
    const { data, usage } = await embed();
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    expect(usage?.promptTokens).toBeGreaterThan(1);
    const numbers = data[0]?.embedding as number[];
    const [bytes] = (await embed({ encodingFormat: 'base64' })).data;
    const read = new Float32Array(new Uint8Array(Buffer.from(bytes?.embedding as string, 'base64')).buffer);
    expect([...read]).toEqual(numbers);
    expect((await embed({ dimensions: numbers.length })).data).toHaveLength(2);
    const wrong = (name: string) => ({ kind: 'invalid', violations: [{ loc: ['body', name] }] });
    await expect(embed({ dimensions: 3 })).rejects.toMatchObject(wrong('dimensions'));
    await expect(embed({ input: [1, 2] })).rejects.toMatchObject(wrong('input'));
    await expect(embed({ model: 'other' })).rejects.toMatchObject({ code: 'model_unknown' });
    const poor = newOrganisation();
    ledger.useUp(poor);
    await expect(embed({}, member(poor))).rejects.toMatchObject({ kind: 'payment_required' });
  });

  it('has recordings transcribed, which are kept and paid as others', async () => {
    const by = member(newOrganisation());
    const file = { filename: 'a.wav', contentType: 'audio/wav', content: silence() };
    const transcribe = (more: object = {}) =>
      content.openAi.createAudioTranscription({ file, model: 'whisper-1', temperature: 0, stream: false, ...more }, by);
    expect(await transcribe()).toMatchObject({ text: 'Good day.', task: '', duration: null, segments: [] });
    expect(await transcribe({ responseFormat: 'verbose_json' })).toMatchObject({
      ...{ text: 'Good day.', task: 'transcribe', duration: 0.5 },
      segments: [{ id: 0, start: 0, end: 1, text: 'Good day.' }],
    });
    const plain = async (responseFormat: string) => (await transcribe({ responseFormat })).plain;
    expect(await plain('text')).toBe('Good day.\n');
    expect(await plain('srt')).toBe('1\n00:00:00,000 --> 00:00:01,000\nGood day.\n\n');
    expect(await plain('vtt')).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nGood day.\n\n');
    expect((await transcribe()).plain).toBeNull();
    expect((await content.transcriptions.listTranscriptions({}, by)).transcriptions).toHaveLength(6);
    const refused = [{ prompt: 'Names' }, { responseFormat: 'docx' }, { temperature: 0.5 }, { stream: true }];
    for (const more of refused) await expect(transcribe(more)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(transcribe({ model: 'other' })).rejects.toMatchObject({ code: 'model_unknown' });
  });

  it('brings files that are documents, and sees documents as files', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const create = (filename: string, text: string, purpose = 'assistants') =>
      content.openAiFiles.createFile({ file: { filename, contentType: '', content: Buffer.from(text) }, purpose }, by);
    const first = await create('first.txt', 'The printer stands in room 417.');
    expect(first).toMatchObject({ object: 'file', status: 'uploaded', bytes: '31', filename: 'first.txt' });
    const second = await create('second.md', '# Rules');
    await waitFor(async () => (await content.openAiFiles.getFile({ fileId: first.id }, by)).status === 'processed', {
      what: 'the reading',
    });
    expect(await content.documents.getDocument({ documentId: first.id }, by)).toMatchObject({
      ...{ status: 'READY', content: 'The printer stands in room 417.', mediaType: 'text/plain' },
    });
    const list = async (more: object) => {
      const { data, hasMore, lastId } = await content.openAiFiles.listFiles(more, by);
      return { ids: data.map(({ id }) => id), hasMore, lastId };
    };
    expect(await list({ limit: 1 })).toEqual({ ids: [second.id], hasMore: true, lastId: second.id });
    expect(await list({ after: second.id })).toEqual({ ids: [first.id], hasMore: false, lastId: first.id });
    expect((await list({ order: 'asc' })).ids).toEqual([first.id, second.id]);
    expect(await list({ purpose: 'batch' })).toEqual({ ids: [], hasMore: false, lastId: null });
    const pieces: Buffer[] = [];
    for await (const { chunk } of content.openAiFiles.downloadFileContent({ fileId: first.id }, by))
      pieces.push(Buffer.from(chunk));
    expect(Buffer.concat(pieces).toString()).toBe('The printer stands in room 417.');
    expect(await content.openAiFiles.deleteFile({ fileId: first.id }, by)).toMatchObject({ deleted: true });
    const missing = { kind: 'not_found', code: 'document_not_found' };
    for (const fileId of [first.id, newId(), 'file-abc'])
      await expect(content.openAiFiles.getFile({ fileId }, by)).rejects.toMatchObject(missing);
    await expect(list({ after: first.id })).rejects.toMatchObject(missing);
    await expect(create('a.txt', 'a', 'fine-tune')).rejects.toMatchObject({ kind: 'invalid' });
    await expect(create(' ', 'a')).rejects.toMatchObject({ kind: 'invalid' });
  });
});
