import { describe, expect, it } from '@jest/globals';
import { changeConversation, type Conversation } from '../../conversations/domain/conversation.ts';
import { titleIn } from './conversation-title.ts';
import { createConversation, finishTurn, startTurn } from './turn.ts';

const noon = new Date('2026-03-01T12:00:00Z');
const ada = { memberId: 'ada', readsAll: false };

describe('the name that a model gives a conversation', () => {
  it.each([
    ['Days of holidays', 'Days of holidays'],
    ['"Days of holidays."\n\nI hope that helps.', 'Days of holidays'],
    ['\n**Title: Urlaub in Bern**', 'Urlaub in Bern'],
    ['Plan\u202e\u0007 B', 'Plan B'],
    ['', undefined],
    ['***', undefined],
  ])('is the first line of %j', (answer, title) => {
    expect(titleIn(answer)).toBe(title);
  });

  it('is a title and no story', () => {
    expect(titleIn('a '.repeat(500))?.length).toBeLessThanOrEqual(80);
  });
});

describe('a conversation that a model names', () => {
  const begun = (): Conversation =>
    startTurn(
      createConversation({ id: 'c1', memberId: 'ada', text: 'Hello?', assistantId: 'general' }, noon).state,
      ada,
      {
        ...{ id: 't1', answerId: 'a1', assistantId: 'general' },
        question: { id: 'q1', message: 'Hello?', messageType: 'TEXT', annotations: {} },
        payer: { reservationId: null, memberId: 'ada', clientGroupId: null, apiKeyId: null },
      },
      noon,
      60_000,
    ).state;
  const named = { title: 'Greetings', at: noon };

  it('is called so with the end of the turn, which is told and searched', () => {
    const { state, events } = finishTurn(begun(), 't1', named);
    expect(state).toMatchObject({ title: 'Greetings', searchDueAt: noon });
    expect(state).not.toHaveProperty('isTitleDerived');
    expect(events).toMatchObject([{ name: 'conversation.updated', data: { changed_fields: ['title'] } }]);
    // Nobody did that, so that it is no entry of the audit log.
    expect(events[0]).not.toHaveProperty('change');
  });

  it.each(['Mine', 'Hello?'])('keeps the title that a person gives it meanwhile: %s', (title) => {
    const renamed = changeConversation(begun(), ada, { title }, noon).state;
    const { state, events } = finishTurn(renamed, 't1', named);
    expect(state.title).toBe(title);
    expect(events).toEqual([]);
  });

  it('is called by its first words without a name', () => {
    expect(finishTurn(begun(), 't1').state).toMatchObject({ title: 'Hello?', isTitleDerived: true });
  });
});
