import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { Message } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { chatOf, says, saysAndWaits } from '../../../test/chat-script.ts';
import { startCrashTestContent, type CrashTestContent } from '../../../test/crash-test-content.ts';
import { openAiDouble, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';

/** As many as are promised in `.ci/run`. */
const TURNS = repetitions({ usual: 12, long: 200 });
/** People, each in a conversation of their own. */
const PEOPLE = repetitions({ usual: 4, long: 8 });
/** Of each life at most so many turns are answered. */
const MAX_ANSWERS = TURNS / 4;
const MAX_KILLS = repetitions({ usual: 1, long: Infinity });
/** How long the model takes for the second half of an answer, at most, in milliseconds. */
const SLOWNESS = 300;

describe('turns of a service that is killed at random', () => {
  let ledger: CreditLedger;
  let model: OpenAiDouble;
  /** Keeps the database; works on nothing itself. */
  let beside: TestContent;
  let content: CrashTestContent;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    model = await openAiDouble((request) => {
      // What was asked before without an answer stands in front of it.
      const question = String(chatOf(request).messages.at(-1)?.content).split('\n\n').at(-1) ?? '';
      const answer = `About: ${question}`;
      return Math.random() < 0.5 ? says(answer) : saysAndWaits(answer, delay(Math.random() * SLOWNESS));
    });
    const environment = {
      BILLING_ADDRESS: ledger.address,
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: 'm',
      CONTENT_TURN_LEASE_SECONDS: '3',
      CONTENT_DOCUMENT_WORKERS: '0',
    };
    beside = await startTestContent({ idle: true, environment });
    content = await startCrashTestContent(beside.env, { maxAnswers: MAX_ANSWERS, maxKills: MAX_KILLS });
  });
  afterAll(async () => {
    await content.stop();
    await beside.stop();
    await model.close();
    await ledger.close();
  });

  /** Of one conversation, oldest first: somebody may have asked far more than a page has room for. */
  async function everyMessage(conversationId: string, by: ReturnType<typeof member>): Promise<readonly Message[]> {
    const all: Message[] = [];
    let cursor: string | undefined;
    do {
      const request = { conversationId, order: 'asc', limit: 200, ...(cursor && { cursor }) } as const;
      // Its client may have found nobody a moment ago, and tries again after a pause.
      const page = await content.untilAnswered(() => content.messages.listMessages(request, by), ['unavailable']);
      all.push(...(page?.messages ?? []));
      cursor = page?.nextCursor;
    } while (cursor);
    return all;
  }

  it('lose nothing that was said, all end, cost what was answered, and make room for the next', async () => {
    const organisationId = newOrganisation();
    let asked = 0;
    const person = async () => {
      const by = member(organisationId);
      let conversationId = '';
      const said: string[] = [];
      while (asked < TURNS) {
        const newMessage = `Question ${(asked += 1)}`;
        const request = { assistantName: 'general', newMessage, idempotencyKey: newId() };
        const whole = { ...request, ...(conversationId !== '' && { conversationId }) };
        const reply = await content.untilAnswered(
          () => content.assistants.submitToAssistant(whole, by),
          ['unavailable', 'deadline_exceeded', 'conflict'],
        );
        conversationId = reply?.conversationId ?? '';
        said.push(newMessage);
        expect(reply?.message).toMatchObject({ isFinished: true, conversationId });
      }
      return { by, conversationId, said };
    };
    const people = await Promise.all(Array.from({ length: PEOPLE }, person));
    const kills = await content.spare();
    expect(kills).toBeGreaterThanOrEqual(Math.min(MAX_KILLS, 2));

    for (const { by, conversationId, said } of people) {
      const messages = await everyMessage(conversationId, by);
      expect(messages.filter(({ senderType }) => senderType === 'USER').map(({ message }) => message)).toEqual(said);
      expect(messages.filter(({ isFinished }) => !isFinished)).toEqual([]);
      const replies = messages.filter(({ senderType }) => senderType === 'ASSISTANT');
      expect(replies).toHaveLength(said.length);
      // Each kill breaks off one answer of each person at most; all others are whole.
      const broken = replies.filter(({ messageType }) => messageType !== 'TEXT');
      expect(broken.length).toBeLessThanOrEqual(kills);
      for (const { message, messageType, parentMessageId } of replies) {
        const question = messages.find(({ id }) => id === parentMessageId)?.message ?? '';
        if (messageType === 'TEXT') expect(message).toBe(`About: ${question}`);
      }
      const last = { assistantName: 'general', newMessage: 'The last', conversationId, idempotencyKey: newId() };
      const next = await content.untilAnswered(() => content.assistants.submitToAssistant(last, by), ['unavailable']);
      expect(next?.message).toMatchObject({ messageType: 'TEXT', message: 'About: The last', isFinished: true });
    }

    // Each answer is owed, once, with what stands in it; one that was broken off before a word of it was stored costs nothing.
    const owed = Map.groupBy(await debitsOf(beside, organisationId), ({ work_id: messageId }) => messageId);
    const answers = (await Promise.all(people.map(({ by, conversationId }) => everyMessage(conversationId, by))))
      .flat()
      .filter(({ senderType }) => senderType === 'ASSISTANT');
    const debited = answers.map(({ id }) => owed.get(id)?.map(({ amount_micros: micros }) => micros) ?? []);
    expect(debited).toEqual(
      answers.map(({ annotations }) => {
        const { usage } = annotations as { usage?: { credits_micros: number } };
        return usage && usage.credits_micros > 0 ? [String(usage.credits_micros)] : [];
      }),
    );
    expect(answers.filter(({ messageType }, at) => messageType === 'TEXT' && debited[at]?.length !== 1)).toEqual([]);
    const reserved = ledger.reservedBy(organisationId);
    expect(new Set(reserved.map(({ reservationId }) => reservationId)).size).toBe(reserved.length);
    for (const { lifetimeSeconds } of reserved) expect(lifetimeSeconds).toBeLessThan(60);
  }, 900_000);
});
