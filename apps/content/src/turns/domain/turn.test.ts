import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { deleteConversation, titleOf, type Conversation } from '../../conversations/domain/conversation.ts';
import { startTurn, createConversation, expireTurn, finishTurn, renewTurn } from './turn.ts';

const noon = new Date('2026-03-01T12:00:00Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);
const ada = { memberId: 'ada', readsAll: false };
const question = { id: 'q1', message: 'Hello?', messageType: 'TEXT', annotations: {} } as const;
const payer = { reservationId: 'r1', memberId: 'ada', clientGroupId: null, apiKeyId: null };
const wanted = { id: 't1', answerId: 'a1', assistantId: 'general', question, payer };

const empty = (): Conversation =>
  createConversation({ id: 'c1', memberId: 'ada', text: 'Hello?', assistantId: 'general' }, noon).state;
const TURN_LEASE_MS = 60_000;

const started = (): Conversation => startTurn(empty(), ada, wanted, noon, TURN_LEASE_MS).state;

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a turn', () => {
  it('begins with a question and an answer that is later, and both are later than what was said before', () => {
    const { result, state } = startTurn(empty(), ada, wanted, noon, TURN_LEASE_MS);
    expect(result.question).toMatchObject({ parentId: '', createdAt: noon, isFinished: true, senderId: 'ada' });
    expect(result.answer).toMatchObject({ parentId: 'q1', createdAt: after(1), isFinished: false, memberId: 'ada' });
    expect(state).toMatchObject({ currentMessageId: 'a1', messageCount: 2, lastMessageAt: after(1) });
    const finished = finishTurn(state, 't1').state;
    const early = startTurn(
      finished,
      ada,
      { ...wanted, id: 't2', answerId: 'a2' },
      after(-5_000),
      TURN_LEASE_MS,
    ).result;
    expect([early.question?.createdAt, early.answer.createdAt]).toEqual([after(2), after(3)]);
    expect(early.question?.parentId).toBe('a1');
  });

  it('is the only one until it ends or nobody has spoken of it for its lease', () => {
    const next = (at: Date) => startTurn(started(), ada, { ...wanted, id: 't2', answerId: 'a2' }, at, TURN_LEASE_MS);
    expect(codeOf(() => next(after(TURN_LEASE_MS - 1)))).toBe('turn_in_progress');
    expect(next(after(TURN_LEASE_MS)).result.expired).toMatchObject({ id: 't1', answerId: 'a1' });
    const kept = renewTurn(started(), 't1', after(30_000), TURN_LEASE_MS).state;
    expect(kept.turn?.leasedUntil).toEqual(after(30_000 + TURN_LEASE_MS));
    expect(expireTurn(kept, after(TURN_LEASE_MS)).result).toBeUndefined();
    expect(expireTurn(kept, after(30_000 + TURN_LEASE_MS)).result?.answerId).toBe('a1');
  });

  it('is over for its process when another one has begun or the conversation was deleted', () => {
    const deleted = deleteConversation(started(), ada, noon).state;
    for (const attempt of [
      () => finishTurn(started(), 't0'),
      () => finishTurn(deleted, 't1'),
      () => renewTurn(undefined, 't1', noon, TURN_LEASE_MS),
    ])
      expect(codeOf(attempt)).toBe('turn_over');
  });

  it('is for the owner alone, and for as many messages as a conversation has', () => {
    const bob = { memberId: 'bob', readsAll: true };
    expect(codeOf(() => startTurn({ ...empty(), isShared: true }, bob, wanted, noon, TURN_LEASE_MS))).toBe(
      'conversation_not_found',
    );
    const full = { ...empty(), messageCount: 9_999 };
    expect(codeOf(() => startTurn(full, ada, wanted, noon, TURN_LEASE_MS))).toBe('conversation_full');
    const { question: _question, ...again } = wanted;
    expect(startTurn(full, ada, again, noon, TURN_LEASE_MS).state.messageCount).toBe(10_000);
  });
});

describe('the title of a conversation', () => {
  it('is the first words on one line', () => {
    expect(titleOf('  What\n is\tthis? ')).toBe('What is this?');
    const long = titleOf('word '.repeat(100));
    expect(long.endsWith(' word…')).toBe(true);
    expect(long.length).toBeLessThanOrEqual(80);
    expect(Array.from(titleOf('👩‍🚀'.repeat(100))).length).toBeLessThanOrEqual(80);
  });
});
