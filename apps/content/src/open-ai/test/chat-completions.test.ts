import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { ChatCompletionChunk, CreateChatCompletionRequestInput } from '@platform-backend/contract-content';
import { newId, unavailable, type DomainError } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { withLimits } from '@platform-backend/mongo';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { chatOf, says, saysAndFails, saysAndWaits, toolAnswer, wants } from '../../../test/chat-script.ts';
import { actingAs } from '../../../test/conversation-under-test.ts';
import { openAiDouble, type ApiAnswer, type ApiRequest, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';
import { finishCompletion, startCompletion } from '../domain/chat-completion.ts';
import { chatCompletionsStore } from '../store/chat-completions-store.ts';

describe('an answer to a client of OpenAI', () => {
  let ledger: CreditLedger;
  let api: OpenAiDouble;
  let answer: (request: ApiRequest) => ApiAnswer;
  let content: TestContent;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    api = await openAiDouble((request) => answer(request));
    content = await startTestContent({
      environment: {
        BILLING_ADDRESS: ledger.address,
        LLM_BASE_URL: api.baseUrl,
        LLM_MODEL: 'small',
        LLM_OTHER_MODELS: 'blind',
        LLM_IMAGE_MODELS: 'small',
      },
    });
  });
  afterAll(async () => {
    await content.stop();
    await Promise.all([api.close(), ledger.close()]);
  });

  const question = (text = 'How many?', more: object = {}): CreateChatCompletionRequestInput => ({
    model: 'general',
    messages: [{ role: 'user', content: text }],
    ...more,
  });
  const ask = (by: CallOptions, more: object = {}) =>
    content.openAi.createChatCompletion(question('How many?', more), by);

  async function told(by: CallOptions, more: object = {}): Promise<ChatCompletionChunk[]> {
    const chunks: ChatCompletionChunk[] = [];
    for await (const chunk of content.openAi.streamChatCompletion(question('How many?', more), by)) chunks.push(chunk);
    return chunks;
  }

  it('is written by what comes with the request, costs what it used, and is kept nowhere', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    answer = () => says('Forty', '-two.');
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Good day.' },
      { role: 'user', content: 'How many?' },
    ];
    const options = { temperature: 0.2, topP: 0.5, maxCompletionTokens: 50, stop: ['END'], seed: 7 };
    const format = { type: 'json_schema', json_schema: { name: 'count', schema: { type: 'object' } } };
    const { id, choices, usage } = await ask(by, { messages, ...options, responseFormat: format });
    expect(choices).toMatchObject([
      { index: 0, finishReason: 'stop', message: { role: 'assistant', content: 'Forty-two.' } },
    ]);
    expect(choices[0]?.message?.structuredOutput).toEqual({ status: 'invalid', errors: ['It is no JSON'] });
    expect(usage).toEqual({ promptTokens: 100, completionTokens: 10, totalTokens: 110, creditsMicros: '220' });
    expect(await debitsOf(content, organisationId)).toMatchObject([
      { amount_micros: '220', purpose: 'chat_completion', work_id: id },
    ]);
    const request = api.requests.at(-1);
    const sent = JSON.parse(String(request?.body)) as object;
    expect(sent).toMatchObject({
      ...{ model: 'small', temperature: 0.2, top_p: 0.5, max_tokens: 50, stop: ['END'], seed: 7 },
      response_format: format,
    });
    expect(request && chatOf(request).messages.map(({ role, content: text }) => [role, text])).toEqual([
      ['system', expect.stringMatching(/^Be brief\.\n\n/)],
      ['user', 'Hello'],
      ['assistant', 'Good day.'],
      ['user', 'How many?'],
    ]);
    expect((await content.messages.listMessages({}, by)).messages).toEqual([]);
    expect((await content.conversations.listConversations({}, by)).conversations).toEqual([]);
  });

  it('is about the files and images that come with it, or are named', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const file = { filename: 'notes.md', contentType: 'text/markdown', content: Buffer.from('# Code\n\nIt is 4711.') };
    const { id } = await content.openAiFiles.createFile({ file, purpose: 'user_data' }, by);
    await waitFor(async () => (await content.openAiFiles.getFile({ fileId: id }, by)).status === 'processed', {
      what: 'the file',
    });
    answer = () => says('Yes.');
    const csv = `data:text/csv;base64,${Buffer.from('city,people\nBern,134000').toString('base64')}`;
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'file', file: { file_id: id } },
      { type: 'file', file: { filename: 'cities.csv', file_data: csv } },
    ];
    await ask(by, { messages: [{ role: 'user', content: parts }] });
    const request = api.requests.at(-1);
    const [, said, , tool] = request ? chatOf(request).messages : [];
    expect(said?.content).toEqual([parts[0], { type: 'image_url', image_url: { url: png } }]);
    expect(tool?.content).toMatch(/File "notes.md":[^]*It is 4711\.[^]*File "cities.csv":[^]*Bern/);

    const { id: blind } = await content.assistants.createAssistant({ name: 'Blind', model: 'blind' }, by);
    const refused = async (part: object, caller = by, model = 'general') =>
      (ask(caller, { model, messages: [{ role: 'user', content: [part] }] }) as Promise<unknown>).then(
        () => [],
        (error: unknown) => (error as DomainError).violations?.map(({ loc }) => loc.at(-1)),
      );
    expect(await refused({ type: 'image_url', image_url: { url: png } }, by, blind)).toEqual(['image_url']);
    expect(await refused({ type: 'file', file: { file_id: id } }, member(newOrganisation()))).toEqual(['file_id']);
    const broken = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 broken').toString('base64')}`;
    expect(await refused({ type: 'file', file: { filename: 'a.pdf', file_data: broken } })).toEqual(['file']);
    expect(await refused({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } })).toEqual([
      'image_url',
    ]);
  });

  it('stands on what its assistant finds, and says where', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const { id } = await content.conventions.createConvention({ title: 'Holidays', content: 'Thirty days.' }, by);
    answer = (request) =>
      chatOf(request).messages.some(({ role }) => role === 'tool')
        ? says('Thirty [1].')
        : wants('read_conventions', '{"query":"holidays"}');
    const { id: assistantId } = await content.assistants.createAssistant(
      { name: 'Rules', tools: ['read_conventions'], documentIds: [] },
      by,
    );
    const found = await waitFor(
      async () => {
        const { choices } = await ask(by, { model: 'rules' });
        return choices[0]?.message?.annotations.length ? choices[0].message : undefined;
      },
      { what: 'the index' },
    );
    expect(found).toMatchObject({
      content: 'Thirty [1].',
      annotations: [{ text: '[1]', startIndex: 7, endIndex: 10, fileCitation: { fileId: id, filename: 'Holidays' } }],
    });
    const last = api.requests.at(-1);
    expect(last && toolAnswer(last)).toContain('Thirty days.');
    const { data } = await content.openAi.listModels({}, by);
    expect(data.slice(0, 2).map((model) => [model.id, model.name, model.ownedBy])).toEqual([
      ['general', 'General assistant', 'platform'],
      [assistantId, 'Rules', 'organisation'],
    ]);
    // Whoever names a language model alone means the assistant that everybody has, with it.
    expect(await content.openAi.getModel({ model: 'small' }, by)).toMatchObject({ id: 'small', ownedBy: 'platform' });
    const unknown = { kind: 'not_found', code: 'model_unknown' };
    await expect(content.openAi.getModel({ model: 'gpt-9' }, by)).rejects.toMatchObject(unknown);
    await expect(ask(member(newOrganisation()), { model: 'rules' })).rejects.toMatchObject(unknown);
  });

  it('is told while it is written, with its use at the end where that is asked for', async () => {
    answer = () => says('Forty', '-two.');
    const chunks = await told(member(newOrganisation()), { stream: true, streamOptions: { includeUsage: true } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]).toMatchObject({ object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' } }] });
    expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe('Forty-two.');
    expect(chunks.map(({ choices }) => choices[0]?.finishReason ?? null).filter(Boolean)).toEqual(['stop']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { totalTokens: 110 } });
    const without = await told(member(newOrganisation()), { stream: true });
    expect(without.some(({ usage }) => usage)).toBe(false);
  });

  it('ends when its client leaves, and costs what was written until then', async () => {
    const organisationId = newOrganisation();
    const never = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', never.promise);
    for await (const { choices } of content.openAi.streamChatCompletion(question(), member(organisationId)))
      if (choices[0]?.delta?.content) break;
    const owed = await waitFor(async () => (await debitsOf(content, organisationId)).at(0), { what: 'the debit' });
    expect(Number(owed.amount_micros)).toBeGreaterThan(0);
    const controller = new AbortController();
    const other = newOrganisation();
    const submitted = ask({ ...member(other), signal: controller.signal });
    await waitFor(() => ledger.reservedBy(other).length === 1);
    await waitFor(() => String(api.requests.at(-1)?.body).includes('How many?'));
    await waitFor(async () => (await usedBy(other)) > 0, { what: 'the first words' });
    controller.abort();
    await expect(submitted).rejects.toThrow();
    await waitFor(async () => (await debitsOf(content, other)).length === 1, { what: 'the debit' });
    never.resolve(undefined);
  });

  /** Tokens that were written and stored in answers of the organisation. */
  const usedBy = async (organisationId: string): Promise<number> => {
    const completions = content.frame?.storage.database.unguarded.collection('chatCompletions');
    const found = await completions?.findOne({ organisationId });
    return (found?.['usage'] as { outputTokens: number } | undefined)?.outputTokens ?? 0;
  };

  it('costs what was stored of it when its process is gone', async () => {
    const organisationId = newOrganisation();
    const never = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Far away', never.promise);
    const submitted = ask(member(organisationId));
    submitted.catch(() => undefined);
    await waitFor(async () => (await usedBy(organisationId)) > 0, { what: 'the first words' });
    const clock = { now: () => new Date(Date.now() + 120_000) };
    const later = await startTestContent({ replicaOf: content, clock });
    const owed = await waitFor(async () => (await debitsOf(content, organisationId)).at(0), { what: 'the debit' });
    expect(Number(owed.amount_micros)).toBeGreaterThan(0);
    await later.stop();
    await expect(submitted).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await debitsOf(content, organisationId)).toHaveLength(1);
    never.resolve(undefined);
  });

  it('is stored, with what is owed for it, also while nobody can tell what whoever asked may open', async () => {
    const database = content.frame?.storage.database;
    if (!database) throw new Error('the service runs elsewhere');
    const store = chatCompletionsStore(database);
    const [by, id, at] = [actingAs(member(newOrganisation())), newId(), new Date()];
    const payer = { reservationId: null, memberId: null, clientGroupId: null, apiKeyId: null };
    const begun = { id, assistantId: 'general', model: 'small', payer };
    const use = { usage: { inputTokens: 1, outputTokens: 1 }, costMicros: 4 };
    const ended = await withLimits(
      () => Promise.reject(unavailable(new Error('identity is away'))),
      async () => {
        await store.update(by, id, () => startCompletion(begun, at, 60_000));
        return store.update(by, id, (found) => finishCompletion(found, { ...use, outcome: 'stop' }, at, []));
      },
    );
    expect(ended).toMatchObject({ outcome: 'stop', costMicros: 4 });
  });

  it('that breaks off is an error, and is owed as far as it was written', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    answer = () => saysAndFails('Once upon', Promise.resolve());
    const pieces: string[] = [];
    const telling = async () => {
      for await (const { choices } of content.openAi.streamChatCompletion(question(), by))
        pieces.push(choices[0]?.delta?.content ?? '');
    };
    await expect(telling()).rejects.toMatchObject({ kind: 'upstream_failed' });
    expect(pieces.join('')).toBe('Once upon');
    await expect(ask(by)).rejects.toMatchObject({ kind: 'upstream_failed' });
    expect(await debitsOf(content, organisationId)).toHaveLength(2);
    answer = () => ({
      status: 400,
      body: { error: { message: 'maximum context length', code: 'context_length_exceeded' } },
    });
    const tooLong = { kind: 'malformed', code: 'context_length_exceeded' };
    await expect(ask(by)).rejects.toMatchObject(tooLong);
    expect(await debitsOf(content, organisationId)).toHaveLength(2);
    // Nobody is asked what costs more than is set aside.
    const [messages, requests] = [[{ role: 'user', content: 'word '.repeat(60_001) }], api.requests.length];
    await expect(ask(by, { messages })).rejects.toMatchObject(tooLong);
    expect(api.requests).toHaveLength(requests);
  });

  it('is given for credits alone, and not where something is asked that nobody follows', async () => {
    const poor = newOrganisation();
    ledger.useUp(poor);
    await expect(ask(member(poor))).rejects.toMatchObject({ kind: 'payment_required' });
    const by = member(newOrganisation());
    await expect(ask(by, { n: 2 })).rejects.toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'n'] }] });
    await expect(ask(by, { model: newId() })).rejects.toMatchObject({ code: 'model_unknown' });
  });
});
