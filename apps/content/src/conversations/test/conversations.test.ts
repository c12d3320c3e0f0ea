import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId, unavailable } from '@platform-backend/core';
import { withLimits } from '@platform-backend/mongo';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { actingAs, conversationsOf, TURN_LEASE_MS } from '../../../test/conversation-under-test.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

const mask = (...paths: string[]) => ({ updateMask: { paths } });
const notFound = { kind: 'not_found' };

let content: TestContent;
let written: ReturnType<typeof conversationsOf>;
beforeAll(async () => {
  content = await startTestContent({ idle: true });
  written = conversationsOf(content);
});
afterAll(() => content.stop());

const textsOf = async (request: object, by: object): Promise<string[]> =>
  (await content.messages.listMessages(request, by)).messages.map(({ message }) => message);

describe('a turn', () => {
  it('leaves question and answer in a conversation that takes its title from them', async () => {
    const ada = member(newOrganisation(), 'VIEWER');
    const { conversationId } = await written.ask(actingAs(ada), 'What  is\nour refund policy?');
    const { messages } = await content.messages.listMessages({ conversationId, order: 'asc' }, ada);
    const [question, answer] = messages;
    expect(messages).toMatchObject([
      { senderType: 'USER', messageType: 'TEXT', isFinished: true, parentMessageId: '', senderId: ada.caller.userId },
      { senderType: 'ASSISTANT', isFinished: true, annotations: { citations: [] }, parentMessageId: question?.id },
    ]);
    expect(messages.every(({ memberId }) => memberId === ada.caller.userId)).toBe(true);
    expect(await content.conversations.getConversation({ conversationId }, ada)).toMatchObject({
      title: 'What is our refund policy?',
      currentMessageId: answer?.id,
      messageCount: 2,
      turnInProgress: false,
      assistantId: 'general',
    });
  });

  it('is the only one of its conversation, also when several begin at the same moment', async () => {
    const by = actingAs(member(newOrganisation()));
    const { conversationId } = await written.ask(by, 'First');
    const attempts = await Promise.allSettled(
      ['A', 'B', 'C'].map((text) => written.start(by, text, { conversationId })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusalOf(written.start(by, 'D', { conversationId }))).toMatchObject({ code: 'turn_in_progress' });
    const { items } = await written.messages.list(by.organisationId, {
      conversationId,
      order: 'asc',
      limit: 50,
      cursor: '',
      includeTotal: false,
    });
    expect(items).toHaveLength(4);
  });

  it('of a dead process ends as an error, by itself or when the next one begins', async () => {
    const ada = member(newOrganisation());
    const by = actingAs(ada);
    const clock = fixedClock(new Date(Date.now() - 2 * TURN_LEASE_MS));
    const then = conversationsOf(content, clock);
    const [swept, followed] = [await then.start(by, 'One'), await then.start(by, 'Two')];
    const { id: conversationId } = followed.conversation;
    await written.ask(by, 'Three', { conversationId });
    await written.turns.expireTurns(new AbortController().signal);
    for (const { answer } of [swept, followed])
      expect(await content.messages.getMessage({ messageId: answer.id }, ada)).toMatchObject({
        isFinished: true,
        messageType: 'ERROR',
      });
    const { id, turn } = swept.conversation;
    const end = { message: 'late', messageType: 'TEXT', annotations: {} } as const;
    const late = written.turns.finishTurn(by, { conversationId: id, turnId: turn?.id ?? '' }, end, []);
    expect(await refusalOf(late)).toMatchObject({ code: 'turn_over' });
  });

  it('comes to its end also while nobody can tell what whoever asked may open', async () => {
    const by = actingAs(member(newOrganisation()));
    const { conversation } = await written.start(by, 'One');
    const [conversationId, turnId] = [conversation.id, conversation.turn?.id ?? ''];
    const end = { message: 'whole', messageType: 'TEXT', annotations: { citations: [] } } as const;
    const answer = await withLimits(
      () => Promise.reject(unavailable(new Error('identity is away'))),
      async () => {
        await written.turns.renewTurn(by, conversationId, turnId);
        return written.turns.finishTurn(by, { conversationId, turnId }, end, []);
      },
    );
    expect(answer).toMatchObject({ message: 'whole', isFinished: true });
  });

  it('of a dead process ends also where its answer is gone, and holds up neither another one nor its conversation', async () => {
    const by = actingAs(member(newOrganisation()));
    const then = conversationsOf(content, fixedClock(new Date(Date.now() - 2 * TURN_LEASE_MS)));
    const [damaged, other] = [await then.start(by, 'One'), await then.start(by, 'Two')];
    await written.messages.remove(by.organisationId, [damaged.answer.id]);
    await written.turns.expireTurns(new AbortController().signal);
    expect(await written.messages.find(by.organisationId, other.answer.id)).toMatchObject({ isFinished: true });
    const { id: conversationId } = damaged.conversation;
    expect((await written.conversations.find(by.organisationId, conversationId))?.turn).toBeUndefined();
    await written.ask(by, 'Three', { conversationId });
  });

  it('makes a branch where it follows another message than the last', async () => {
    const ada = member(newOrganisation());
    const by = actingAs(ada);
    const first = await written.ask(by, 'First');
    const { conversationId } = first;
    const old = await written.ask(by, 'Old', { conversationId });
    const edited = await written.ask(by, 'New', { conversationId, parentId: first.answer.id });
    const again = await written.ask(by, undefined, { conversationId, parentId: edited.question?.id });
    const branch = async (last: { id: string }) =>
      (await written.turns.branchOf(by, last.id, 10)).map(({ message }) => message);
    expect(await branch(again.answer)).toEqual(['First', 'About: First', 'New', 'About: that']);
    expect(await branch(old.answer)).toEqual(['First', 'About: First', 'Old', 'About: Old']);
    expect(await content.conversations.getConversation({ conversationId }, ada)).toMatchObject({
      currentMessageId: again.answer.id,
      messageCount: 7,
    });
    const shown = await content.conversations.updateConversation(
      { conversationId, currentMessageId: old.answer.id, ...mask('current_message_id') },
      ada,
    );
    expect(shown.currentMessageId).toBe(old.answer.id);
    const foreign = { conversationId, currentMessageId: newId(), ...mask('current_message_id') };
    expect(await refusalOf(content.conversations.updateConversation(foreign, ada))).toMatchObject(notFound);
  });
});

describe('messages', () => {
  it('are listed by every filter, page by page, and are neither repeated nor left out', async () => {
    const ada = member(newOrganisation());
    const by = actingAs(ada);
    const { conversationId } = await written.ask(by, 'One');
    await written.ask(by, 'Two', { conversationId });
    const { conversation } = await written.start(by, 'Three');
    expect(await textsOf({}, ada)).toEqual(['', 'Three', 'About: Two', 'Two', 'About: One', 'One']);
    expect(await textsOf({ isFinished: false }, ada)).toEqual(['']);
    expect(await textsOf({ senderType: 'USER', order: 'asc' }, ada)).toEqual(['One', 'Two', 'Three']);
    expect(await textsOf({ conversationId: conversation.id }, ada)).toEqual(['', 'Three']);
    expect(await textsOf({ conversationId: 'no such one' }, ada)).toEqual([]);
    expect(await textsOf({ memberId: ada.caller.userId, conversationId, limit: 1 }, ada)).toEqual(['About: Two']);
    const createdAfter = conversation.createdAt;
    expect(await textsOf({ createdAfter, order: 'asc' }, ada)).toEqual(['']);
    expect(await textsOf({ createdBefore: createdAfter, limit: 1 }, ada)).toEqual(['About: Two']);

    const paged: string[] = [];
    let cursor = '';
    do {
      const page = await content.messages.listMessages({ limit: 4, cursor, includeTotal: true }, ada);
      expect(page.totalCount).toBe(6);
      paged.push(...page.messages.map(({ message }) => message));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(paged).toEqual(await textsOf({}, ada));
  });

  it('are for their member, for everybody when shared, and for ADMIN', async () => {
    const organisationId = newOrganisation();
    const [ada, bob] = [member(organisationId, 'VIEWER'), member(organisationId, 'EDITOR')];
    const [admin, stranger] = [member(organisationId, 'ADMIN'), member(newOrganisation())];
    const { conversationId, answer } = await written.ask(actingAs(ada), 'One');
    const readers = async () => {
      const seen = [];
      for (const by of [ada, bob, admin, stranger]) {
        const { messages } = await content.messages.listMessages({ conversationId }, by);
        const got = await content.messages.getMessage({ messageId: answer.id }, by).catch(() => undefined);
        expect(got !== undefined).toBe(messages.length > 0);
        seen.push(messages.length);
      }
      return seen;
    };
    expect(await readers()).toEqual([2, 0, 2, 0]);
    await content.conversations.shareConversation({ conversationId }, ada);
    expect(await readers()).toEqual([2, 2, 2, 0]);
    expect(await textsOf({}, bob)).toEqual([]);
    expect(await textsOf({ memberId: ada.caller.userId }, bob)).toEqual([]);
    expect(await textsOf({ memberId: ada.caller.userId }, admin)).toHaveLength(2);
    expect(await refusalOf(written.start(actingAs(bob), 'Mine?', { conversationId }))).toMatchObject(notFound);
    await content.conversations.unshareConversation({ conversationId }, ada);
    expect(await readers()).toEqual([2, 0, 2, 0]);
  });

  it('of assistants are rated by whoever asked', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId, 'VIEWER');
    const { question, answer } = await written.ask(actingAs(ada), 'One');
    const rate = (messageId: string, by = ada) =>
      content.messages.rateMessage({ messageId, rating: 'DOWN', comment: 'Wrong page' }, by);
    const feedback = { rating: 'DOWN', comment: 'Wrong page' };
    expect(await rate(answer.id)).toMatchObject({ feedback });
    expect(await content.messages.getMessage({ messageId: answer.id }, ada)).toMatchObject({ feedback });
    expect(await refusalOf(rate(answer.id, member(organisationId, 'ADMIN')))).toMatchObject(notFound);
    expect(await refusalOf(rate(question?.id ?? ''))).toMatchObject({ code: 'message_not_of_assistant' });
    const takeBack = () => content.messages.deleteFeedback({ messageId: answer.id }, ada);
    expect(await takeBack()).toEqual({ id: answer.id, deleted: true });
    expect(await refusalOf(takeBack())).toMatchObject({ code: 'feedback_not_found' });
    expect(await content.messages.getMessage({ messageId: answer.id }, ada)).toMatchObject({ feedback: null });
  });
});

describe('conversations', () => {
  const titles = async (request: object, by: object): Promise<string[]> =>
    (await content.conversations.listConversations(request, by)).conversations.map(({ title }) => title);

  it('are listed by every filter, and others see those that are shared', async () => {
    const organisationId = newOrganisation();
    const [ada, bob, admin] = [member(organisationId), member(organisationId, 'VIEWER'), member(organisationId)];
    const [one, two] = [await written.ask(actingAs(bob), 'One (1+1)'), await written.ask(actingAs(bob), 'Two')];
    await written.ask(actingAs(ada), 'Three');
    await content.conversations.shareConversation({ conversationId: two.conversationId }, bob);
    const archive = {
      conversationId: one.conversationId,
      archived: true,
      title: 'ONE (1+1)',
      ...mask('archived', 'title'),
    };
    await content.conversations.updateConversation(archive, bob);
    const memberId = bob.caller.userId;
    expect(await titles({}, bob)).toEqual(['Two', 'ONE (1+1)']);
    expect(await titles({ archived: true }, bob)).toEqual(['ONE (1+1)']);
    expect(await titles({ title: '(1+' }, bob)).toEqual(['ONE (1+1)']);
    expect(await titles({ title: 'one' }, bob)).toEqual(['ONE (1+1)']);
    expect(await titles({ shared: false, order: 'asc' }, bob)).toEqual(['ONE (1+1)']);
    expect(await titles({ order: 'asc' }, admin)).toEqual(['ONE (1+1)', 'Two', 'Three']);
    const viewer = member(organisationId, 'VIEWER');
    expect(await titles({}, viewer)).toEqual([]);
    expect(await titles({ shared: true }, viewer)).toEqual(['Two']);
    expect(await titles({ memberId }, viewer)).toEqual(['Two']);
    expect(await titles({ memberId, shared: false }, viewer)).toEqual([]);
    expect(await titles({}, member(newOrganisation()))).toEqual([]);
  });

  it('are listed by what was said in them last, page by page, while more is said', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId, 'VIEWER');
    const by = actingAs(ada);
    const ids: string[] = [];
    for (const text of ['One', 'Two', 'Three', 'Four']) ids.push((await written.ask(by, text)).conversationId);
    await written.ask(by, 'More', { conversationId: ids[1] });
    await written.ask(by, 'More', { conversationId: ids[0] });
    const list = (request: object) => content.conversations.listConversations({ sort: 'activity', ...request }, ada);
    expect(await titles({ sort: 'activity' }, ada)).toEqual(['One', 'Two', 'Four', 'Three']);
    expect(await titles({ sort: 'activity', order: 'asc' }, ada)).toEqual(['Three', 'Four', 'Two', 'One']);
    const first = await list({ limit: 2, includeTotal: true });
    expect(first.totalCount).toBe(4);
    // What was seen already moves further away from what comes.
    await written.ask(by, 'Even more', { conversationId: ids[1] });
    const second = await list({ limit: 2, cursor: first.nextCursor });
    expect([...first.conversations, ...second.conversations].map(({ title }) => title)).toEqual([
      ...['One', 'Two'],
      ...['Four', 'Three'],
    ]);
    expect(second.nextCursor).toBe('');
    expect(await titles({ sort: 'activity' }, member(organisationId))).toEqual(['Two', 'One', 'Four', 'Three']);
  });

  it('are changed, shared and deleted by their owner alone', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId);
    const { conversationId, answer } = await written.ask(actingAs(ada), 'One');
    await content.conversations.shareConversation({ conversationId }, ada);
    for (const other of [member(organisationId, 'OWNER'), member(newOrganisation(), 'OWNER')])
      for (const attempt of [
        () => content.conversations.updateConversation({ conversationId, title: 'Mine', ...mask('title') }, other),
        () => content.conversations.unshareConversation({ conversationId }, other),
        () => content.conversations.deleteConversation({ conversationId }, other),
      ])
        expect(await refusalOf(attempt())).toMatchObject(notFound);

    expect(await content.conversations.deleteConversation({ conversationId }, ada)).toEqual({
      id: conversationId,
      deleted: true,
    });
    expect(await refusalOf(content.conversations.deleteConversation({ conversationId }, ada))).toMatchObject(notFound);
    expect(await refusalOf(content.messages.getMessage({ messageId: answer.id }, ada))).toMatchObject(notFound);
    expect(await textsOf({}, ada)).toEqual([]);
  });
});
