import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { AssistantReply, Message } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { claudeSays } from '../../../test/anthropic-script.ts';
import { says, saysAndFails, saysAndWaits } from '../../../test/chat-script.ts';
import { conversationsOf } from '../../../test/conversation-under-test.ts';
import { openAiDouble, type ApiAnswer, type ApiRequest, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';

describe('an answer', () => {
  let ledger: CreditLedger;
  let noEncoder: OpenAiDouble;
  let api: OpenAiDouble;
  let answer: (request: ApiRequest) => ApiAnswer;
  let claude: OpenAiDouble;
  let content: TestContent;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    noEncoder = await openAiDouble(() => ({ status: 400, body: {} }));
    api = await openAiDouble((request) => answer(request));
    claude = await openAiDouble(() => claudeSays('Fort', 'y.'));
    process.env['TEST_CLAUDE_KEY'] = 'sk-ant';
    content = await startTestContent({
      environment: {
        BILLING_ADDRESS: ledger.address,
        EMBEDDINGS_BASE_URL: noEncoder.baseUrl,
        LLM_BASE_URL: api.baseUrl,
        LLM_MODEL: 'm',
        LLM_MODELS: JSON.stringify([
          {
            ...{ name: 'claude', provider: 'anthropic', model: 'claude-sonnet', baseUrl: claude.baseUrl },
            ...{ apiKeyEnv: 'TEST_CLAUDE_KEY', inputCreditsPerMillionTokens: 3, outputCreditsPerMillionTokens: 15 },
          },
        ]),
      },
    });
  });
  afterAll(async () => {
    await content.stop();
    await Promise.all([api.close(), claude.close(), noEncoder.close(), ledger.close()]);
    delete process.env['TEST_CLAUDE_KEY'];
  });

  const ask = (of: TestContent, newMessage: string, by: CallOptions, more: object = {}): Promise<AssistantReply> =>
    of.assistants.submitToAssistant({ assistantName: 'general', newMessage, ...more }, by);

  const usageOf = (message: Message | null | undefined) =>
    (message?.annotations as { usage: { credits_micros: number } } | undefined)?.usage ?? { credits_micros: NaN };

  const unfinished = async (by: CallOptions) =>
    (await content.messages.listMessages({ isFinished: false, limit: 100 }, by)).messages;

  it('is ended by another replica when its own says nothing any more, and is owed once', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const never = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Far away', never.promise);
    const submitted = ask(content, 'A story', ours);
    await waitFor(async () => (await unfinished(ours))[0]?.message === 'Far away', { what: 'the text so far' });
    const clock = { now: () => new Date(Date.now() + 120_000) };
    const later = await startTestContent({ replicaOf: content, clock });
    const { conversationId, message } = await submitted;
    expect(message).toMatchObject({ message: 'Far away', messageType: 'TEXT', isFinished: true });
    expect(message?.annotations).toMatchObject({ usage: { output_tokens: 2 }, incomplete: { code: 'interrupted' } });
    // Its own process finds that it is over, and owes nothing more.
    const costs = [{ work_id: message?.id, amount_micros: String(usageOf(message).credits_micros) }];
    expect(await debitsOf(content, organisationId)).toMatchObject(costs);
    await later.stop();
    answer = () => says('Hello.');
    const next = await ask(content, 'Hello?', ours, { conversationId });
    expect(next.message?.message).toBe('Hello.');
    never.resolve(undefined);
    costs.push({ work_id: next.message?.id, amount_micros: String(usageOf(next.message).credits_micros) });
    expect(await debitsOf(content, organisationId)).toMatchObject(costs);
  });

  /** What the last answer of somebody says that it cost, and what is owed for it. */
  async function owedFor(organisationId: string, annotations: unknown) {
    const { usage } = annotations as { usage: { input_tokens: number; output_tokens: number; credits_micros: number } };
    const debits = await debitsOf(content, organisationId);
    expect(debits.map(({ amount_micros: micros }) => micros)).toEqual([String(usage.credits_micros)]);
    return usage;
  }

  it("costs what the assistant's own model costs, and is written by the usual one once that is not offered any more", async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    await content.assistants.createAssistant({ name: 'Poet', model: 'claude' }, ours);
    const { message } = await ask(content, 'How many?', ours, { assistantName: 'Poet' });
    expect([message?.message, message?.annotations]).toMatchObject(['Forty.', { model: 'claude' }]);
    expect(claude.requests.at(-1)?.headers['x-api-key']).toBe('sk-ant');
    // 100 tokens at 3 micros, and 10 at 15.
    expect(await owedFor(organisationId, message?.annotations)).toMatchObject({ credits_micros: 450 });
    const { data } = await content.openAi.listModels({}, ours);
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['m', 'claude']));
    const by = member(newOrganisation());
    const completion = { model: 'claude', messages: [{ role: 'user' as const, content: 'How many?' }] };
    const { choices } = await content.openAi.createChatCompletion(completion, by);
    expect(choices[0]?.message?.content).toBe('Forty.');
    const unknown = { loc: ['body', 'model'], ctx: { expected: "'m' or 'claude'" } };
    await expect(content.assistants.createAssistant({ name: 'P', model: 'gone' }, ours)).rejects.toMatchObject({
      violations: [unknown],
    });

    const without = await startTestContent({ replicaOf: content, environment: { LLM_MODELS: '' } });
    answer = () => says('Forty-two.');
    const next = await ask(without, 'How many?', ours, { assistantName: 'Poet' });
    expect([next.message?.message, next.message?.annotations]).toMatchObject(['Forty-two.', { model: 'm' }]);
    await without.stop();
  });

  it('is owed as far as it was written when somebody stops it', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const never = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', never.promise);
    const submitted = ask(content, 'A story', ours);
    await waitFor(async () => (await unfinished(ours))[0]?.message === 'Once upon a time', { what: 'the text so far' });
    await content.turns.stopTurn({ turnId: (await unfinished(ours))[0]?.id ?? '' }, ours);
    const usage = await owedFor(organisationId, (await submitted).message?.annotations);
    expect(usage.output_tokens).toBe(4);
    expect(usage.input_tokens).toBeGreaterThan(20);
    never.resolve(undefined);
  });

  it('is owed with the name that a model gives its conversation, once and unless a person has named it', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const naming = await startTestContent({
      replicaOf: content,
      environment: { LLM_MODELS: '', LLM_TITLE_MODEL: 'small', LLM_REWRITE_MODEL: 'rewriter' },
    });
    const asksForName = ({ body }: ApiRequest) => (JSON.parse(body.toString()) as { model: string }).model === 'small';
    answer = (request) => (asksForName(request) ? says('"Days of', ' holidays."') : says('Thirty.'));
    const { conversationId, message } = await ask(naming, 'How many days?', ours);
    const title = async (id: string) =>
      (await content.conversations.getConversation({ conversationId: id }, ours)).title;
    expect(await title(conversationId)).toBe('Days of holidays');
    expect((await owedFor(organisationId, message?.annotations)).output_tokens).toBe(20);
    const named = api.requests.filter(asksForName).length;
    const follow = await ask(naming, 'And how many now?', ours, { conversationId });
    // A question that follows is said whole before, which counts with its answer.
    expect(usageOf(follow.message)).toMatchObject({ output_tokens: 20, credits_micros: 440 });
    const debits = await debitsOf(content, organisationId);
    expect(debits.at(-1)).toMatchObject({ work_id: follow.message?.id, amount_micros: '440' });
    expect(api.requests.filter(asksForName)).toHaveLength(named);

    // As does that of a client of OpenAI, which brings what was said before.
    const other = newOrganisation();
    const messages = [
      { role: 'user' as const, content: 'How many days?' },
      { role: 'assistant' as const, content: 'Thirty.' },
      { role: 'user' as const, content: 'And how many now?' },
    ];
    const { usage } = await naming.openAi.createChatCompletion({ model: 'general', messages }, member(other));
    expect(usage).toMatchObject({ promptTokens: 200, completionTokens: 20, creditsMicros: '440' });
    expect(await debitsOf(content, other)).toMatchObject([{ amount_micros: '440', purpose: 'chat_completion' }]);

    const never = Promise.withResolvers<undefined>();
    answer = (request) => (asksForName(request) ? says('Stories') : saysAndWaits('Once upon a time', never.promise));
    const submitted = ask(naming, 'A story', ours);
    const { conversationId: id } = await waitFor(async () => (await unfinished(ours))[0], { what: 'the turn' });
    await content.conversations.updateConversation(
      { conversationId: id, title: 'Mine', updateMask: { paths: ['title'] } },
      ours,
    );
    never.resolve(undefined);
    await submitted;
    expect(await title(id)).toBe('Mine');
    await naming.stop();
  });

  it('is owed where the model breaks off after it has said something', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const broken = Promise.withResolvers<undefined>();
    answer = () => saysAndFails('Once upon a time', broken.promise);
    const submitted = ask(content, 'A story', ours);
    await waitFor(async () => (await unfinished(ours))[0]?.message === 'Once upon a time', { what: 'the text so far' });
    broken.resolve(undefined);
    const { message } = await submitted;
    expect(message).toMatchObject({ message: 'Once upon a time', messageType: 'TEXT' });
    expect(message?.annotations).toMatchObject({ incomplete: { code: 'upstream_failed' } });
    expect((await owedFor(organisationId, message?.annotations)).output_tokens).toBe(4);
  });

  it('is owed where it is cut at its limit, and where the model says nothing of what it has used', async () => {
    const [cut, silent] = [newOrganisation(), newOrganisation()];
    answer = () => says('word '.repeat(20_001));
    const { message: long } = await ask(content, 'A story', member(cut));
    expect(long?.annotations).toMatchObject({ cut: true });
    expect((await owedFor(cut, long?.annotations)).output_tokens).toBeGreaterThan(15_000);
    answer = () => saysAndWaits('Once upon a time', Promise.resolve());
    const { message: short } = await ask(content, 'A story', member(silent));
    const usage = await owedFor(silent, short?.annotations);
    expect(usage.output_tokens).toBe(4);
    expect(usage.input_tokens).toBeGreaterThan(20);
  });

  it('is owed when billing is away at its end, and when its conversation is deleted meanwhile', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const leaving = await creditLedger(keys);
    const alone = await startTestContent({ replicaOf: content, environment: { BILLING_ADDRESS: leaving.address } });
    const end = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', end.promise);
    const submitted = ask(alone, 'A story', ours);
    await waitFor(() => leaving.reservedBy(organisationId).length === 1);
    await leaving.close();
    end.resolve(undefined);
    expect((await submitted).message?.messageType).toBe('TEXT');
    expect(await debitsOf(content, organisationId)).toHaveLength(1);
    await alone.stop();

    const deleted = newOrganisation();
    const theirs = member(deleted);
    const never = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', never.promise);
    const lost = ask(content, 'A story', theirs).catch(() => undefined);
    await waitFor(async () => (await unfinished(theirs))[0]?.message === 'Once upon a time');
    const conversationId = (await unfinished(theirs))[0]?.conversationId ?? '';
    await content.conversations.deleteConversation({ conversationId }, theirs);
    await waitFor(async () => (await debitsOf(content, deleted)).length === 1, { what: 'the debit' });
    never.resolve(undefined);
    await lost;
  });

  it('is owed where its message is gone at its end, and the conversation goes on', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const end = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', end.promise);
    const lost = ask(content, 'A story', ours).catch(() => undefined);
    await waitFor(async () => (await unfinished(ours))[0]?.message === 'Once upon a time', { what: 'the text so far' });
    const { id, conversationId } = (await unfinished(ours))[0] ?? { id: '', conversationId: '' };
    await conversationsOf(content).messages.remove(organisationId, [id]);
    end.resolve(undefined);
    await waitFor(async () => (await debitsOf(content, organisationId)).length === 1, { what: 'the debit' });
    await lost;
    answer = () => says('Hello.');
    expect((await ask(content, 'Hello?', ours, { conversationId })).message?.message).toBe('Hello.');
  });

  it('that takes longer than its caller waits is told of, goes on, and is found with what it has cost', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const end = Promise.withResolvers<undefined>();
    answer = () => saysAndWaits('Once upon a time', end.promise);
    const idempotencyKey = newId();
    const late = ask(content, 'A story', { ...ours, timeoutMs: 1_500 }, { idempotencyKey });
    const told = await late.catch((error: unknown) => error);
    const [{ id, conversationId } = { id: '', conversationId: '' }] = await unfinished(ours);
    expect(told).toMatchObject({
      ...{ kind: 'accepted', code: 'answer_pending' },
      pending: { id, state: 'ANSWERING', location: `/messages/${id}/`, related: { conversation_id: conversationId } },
    });
    expect((told as Error).message).toContain(`the message ${id} of the conversation ${conversationId}`);
    end.resolve(undefined);
    const again = await ask(content, 'A story', ours, { idempotencyKey });
    expect(again.message).toMatchObject({ id, conversationId, message: 'Once upon a time' });
    const stored = await content.messages.getMessage({ messageId: id }, ours);
    await owedFor(organisationId, stored.annotations);
    expect(await debitsOf(content, organisationId)).toMatchObject([{ work_id: id }]);
  });
});
