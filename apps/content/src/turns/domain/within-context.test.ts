import { describe, expect, it } from '@jest/globals';
import type { ChatMessage, Question } from './language-model.ts';
import { withinContext } from './within-context.ts';

const user = (text: string): ChatMessage => ({ role: 'user', text });
const assistant = (text: string): ChatMessage => ({ role: 'assistant', text });
const said = [user('a b c'), assistant('d e f'), user('g h'), assistant('i j'), user('k l')];
const question: Question = { instructions: 'Be brief', messages: said, tools: [], model: '', temperature: null };
const words = (text: string): number => text.split(' ').length;

const fitted = (contextTokens: number | undefined, messages: readonly ChatMessage[] = said) =>
  withinContext(
    { ...question, messages },
    { besideMessages: 2, messages: messages.map(({ text }) => words(text)) },
    { contextTokens, maxOutputTokens: 4 },
  ).question.messages;

describe('a conversation and what its model reads', () => {
  it('is asked whole where it fits, or nobody says how much fits', () => {
    expect([fitted(18), fitted(undefined)]).toEqual([said, said]);
  });

  it('loses its oldest messages else, and begins with what a person says', () => {
    expect(fitted(17)).toEqual(said.slice(2));
    expect(fitted(11)).toEqual(said.slice(4));
  });

  it('keeps what tools have answered to the last question with it', () => {
    const call = { id: '1', tool: 't', arguments: {} };
    const messages = [...said, { role: 'tool' as const, call, text: 'm' }];
    expect(fitted(12, messages)).toEqual(messages.slice(4));
  });

  it('is refused before anybody pays for it where the question alone is too long', () => {
    expect(() => fitted(7)).toThrow('longer than the language model can read');
  });
});
