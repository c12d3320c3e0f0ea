import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { debitsOf } from '@platform-backend/contract-billing/client/testing';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { documentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { agreeOn, ask, ASSISTANT, textOf, startTurnNeeds } from './turn-needs.ts';

let needs: Awaited<ReturnType<typeof startTurnNeeds>>;
beforeAll(async () => {
  needs = await startTurnNeeds();
});
afterAll(() => needs.close());

describe('a turn without a language model', () => {
  let content: TestContent;
  beforeAll(async () => {
    // Nobody reads documents here.
    content = await startTestContent({ environment: { ...needs.environment, CONTENT_DOCUMENT_WORKERS: '0' } });
  });
  afterAll(() => content.stop());

  it('answers with quotes and where they stand, and says that it can do no more', async () => {
    const organisationId = newOrganisation();
    const ours = member(organisationId);
    const id = await agreeOn(content, ours, 'Holidays', 'Everybody has thirty days of holidays in a year.');
    const { conversationId, message, usage } = await ask(content, 'How many days of holidays are there?', ours);
    expect(message).toMatchObject({ senderType: 'ASSISTANT', messageType: 'TEXT', isFinished: true, conversationId });
    expect(message?.message).toContain('quotes only');
    expect(message?.message).toContain('thirty days of holidays');
    expect(message?.annotations).toMatchObject({
      model: 'retrieval',
      citations: [{ number: 1, kind: 'CONVENTION', id, title: 'Holidays' }],
    });
    const { messages } = await content.messages.listMessages({ conversationId, order: 'asc' }, ours);
    expect(messages.map(({ senderType, isFinished }) => [senderType, isFinished])).toEqual([
      ['USER', true],
      ['ASSISTANT', true],
    ]);
    expect(messages[1]).toEqual(message);

    const [reservation] = needs.ledger.reservedBy(organisationId, 'assistant_message');
    expect(reservation).toMatchObject({ purpose: 'assistant_message', creditClass: 'AI' });
    const { reservationId = '' } = reservation ?? {};
    expect(await debitsOf(content, organisationId)).toMatchObject([
      {
        reservation_id: reservationId,
        amount_micros: usage?.creditsMicros,
        purpose: 'assistant_message',
        work_id: message?.id,
        member_id: ours.caller.userId,
      },
    ]);
    expect(Number(usage?.creditsMicros)).toBeGreaterThan(0);
  });

  it('says so when there is nothing to quote, and never quotes what others have', async () => {
    const theirs = member(newOrganisation());
    await agreeOn(content, theirs, 'Secrets', 'The secret word is swordfish.');
    const { message } = await ask(content, 'What is the secret word?', member(newOrganisation()));
    expect(message?.message).toContain('nothing was found');
    expect(message?.annotations).toMatchObject({ citations: [] });
  });

  it.each([
    ['the words alone', () => ({ environment: needs.environment })],
    ['an encoder', () => ({ environment: { BILLING_ADDRESS: needs.ledger.address }, encoder: 'shipped' }) as const],
  ])('says so as well when nothing that there is fits the question, by %s', async (_how, settings) => {
    const judging = await startTestContent(settings());
    try {
      const ours = member(newOrganisation());
      const illness = 'Whoever is ill tells their team before nine, and stays at home.';
      await agreeOn(judging, ours, 'Illness', illness);
      await agreeOn(judging, ours, 'Travel', 'Trains are booked before planes; the capital is no exception.');
      const answerTo = async (question: string) => (await ask(judging, question, ours)).message?.message;
      expect(await answerTo('Whom does somebody tell who is ill?')).toContain(illness);
      for (const question of ['What is the capital of France?', 'Who painted the Mona Lisa?', 'How do tides work?'])
        expect(await answerTo(question)).toContain('nothing was found');
    } finally {
      await judging.stop();
    }
  });

  it('is refused without credits, and then nothing was said', async () => {
    const organisationId = newOrganisation();
    needs.ledger.useUp(organisationId);
    const ours = member(organisationId);
    expect(await refusalOf(ask(content, 'Hello', ours))).toMatchObject({ kind: 'payment_required' });
    expect((await content.messages.listMessages({}, ours)).messages).toEqual([]);
  });

  it('goes on in its conversation, which is nobody else’s', async () => {
    const organisationId = newOrganisation();
    const [ours, colleague] = [member(organisationId), member(organisationId)];
    const { conversationId } = await ask(content, 'Hello', ours);
    expect((await ask(content, 'And again', ours, { conversationId })).conversationId).toBe(conversationId);
    for (const stranger of [colleague, member(newOrganisation())]) {
      expect(await refusalOf(ask(content, 'Me too', stranger, { conversationId }))).toMatchObject({
        kind: 'not_found',
      });
    }
    expect(await refusalOf(ask(content, 'Hello', ours, { assistantName: 'nobody' }))).toMatchObject({
      kind: 'not_found',
    });
  });

  it('names what a client wants it to look at, whatever became of that', async () => {
    const ours = member(newOrganisation());
    const id = await agreeOn(content, ours, 'Travel', 'By train wherever possible.');
    const entities = [
      { type: 'convention', id },
      { type: 'document', id: newId() },
      { type: 'dataset', id: '7' },
      { a: 1 },
      'x',
    ];
    const { message } = await ask(content, 'How do we travel?', ours, { conversationCtx: { entities } });
    expect(message?.annotations?.['context']).toMatchObject([
      { type: 'convention', status: 'RESOLVED', title: 'Travel' },
      { type: 'document', status: 'NOT_FOUND' },
      { type: 'dataset', status: 'NOT_FOUND' },
    ]);
  });

  it('says of a document that is still being read that it does without it, and quotes no other in its place', async () => {
    const ours = member(newOrganisation());
    const id = await documentClient(content).upload(ours, { name: 'lease.txt', text: 'The rent is due in May.' });
    const { message } = await ask(content, 'When is the rent due?', ours, {
      conversationCtx: { entities: [{ type: 'document', id }] },
    });
    expect(message?.message).toMatch(/^“lease.txt” is still being read[^]*nothing was found/);
    expect(message?.annotations?.['context']).toMatchObject([
      { type: 'document', id, status: 'PROCESSING', title: 'lease.txt', note: expect.stringContaining('Ask again') },
    ]);
  });

  it('is the same one when its request is repeated', async () => {
    const ours = member(newOrganisation());
    const idempotencyKey = newId();
    const [first, second] = await Promise.all([
      ask(content, 'Hello', ours, { idempotencyKey }),
      ask(content, 'Hello', ours, { idempotencyKey }),
    ]);
    expect(second).toEqual(first);
    expect(await ask(content, 'Hello', ours, { idempotencyKey })).toEqual(first);
    expect((await content.messages.listMessages({}, ours)).messages).toHaveLength(2);
    expect(await refusalOf(ask(content, 'Another', ours, { idempotencyKey }))).toMatchObject({ kind: 'invalid' });
  });

  it('is told as events while it is written, and once more from any of them on', async () => {
    const ours = member(newOrganisation());
    const events = await Array.fromAsync(content.turns.streamToAssistant({ ...ASSISTANT, newMessage: 'Hello' }, ours));
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['started', 'text', 'finished']));
    const { turnId = '', message } = events.at(-1)?.data ?? {};
    expect(textOf(events)).toBe(message?.message);
    const again = (lastEventId: string) => Array.fromAsync(content.turns.watchTurn({ turnId, lastEventId }, ours));
    expect(textOf(await again(''))).toBe(message?.message);
    expect(textOf(await again('3'))).toBe(message?.message.slice(3));
    const afterStart = await again('0');
    expect(textOf(afterStart)).toBe(message?.message);
    expect(afterStart.map(({ event }) => event)).not.toContain('started');
    expect(await again('finished')).toEqual([]);
    const stranger = member(newOrganisation());
    expect(await refusalOf(Array.fromAsync(content.turns.watchTurn({ turnId }, stranger)))).toMatchObject({
      kind: 'not_found',
    });
  });
});
