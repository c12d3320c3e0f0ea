import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../conversations/domain/message.ts';
import { turnMessages } from './turn-prompt.ts';

const said = (senderType: Message['senderType'], message: string, fields: Partial<Message> = {}): Message => ({
  ...{ id: message, conversationId: 'c', memberId: 'm', senderId: 's', senderType, message, messageType: 'TEXT' },
  ...{ isFinished: true, annotations: {}, parentId: '', createdAt: new Date(0) },
  ...fields,
});

describe('what a model reads of a conversation', () => {
  const read = (...messages: readonly Message[]) => turnMessages(messages).map(({ role, text }) => `${role}: ${text}`);

  it('takes turns, also where an answer failed between two questions', () => {
    const failed = said('ASSISTANT', 'It could not be reached.', { messageType: 'ERROR' });
    expect(read(said('USER', 'One?'), failed, said('USER', 'Two?'))).toEqual(['user: One?\n\nTwo?']);
    expect(read(said('USER', 'One?'), said('ASSISTANT', '1'), said('USER', 'Two?'))).toEqual([
      'user: One?',
      'assistant: 1',
      'user: Two?',
    ]);
  });

  it('has the question whole also where an answer has asked back since, and what came of that', () => {
    const approval = {
      ...{ tool_call_id: 'call', name: 'run_pipeline', arguments: {}, summary: 'Run it' },
      ...{ expires_at: new Date(0).toISOString(), status: 'approved' },
    };
    const question = said('USER', 'x'.repeat(30_000));
    const asked = said('ASSISTANT', 'May I?', { annotations: { approval } });
    expect(turnMessages([said('USER', 'Before.'), question, asked], [], { executed: 'It ran.' })).toEqual([
      { role: 'user', text: question.message },
      { role: 'assistant', text: 'May I?' },
      { role: 'tool', call: { id: 'call', tool: 'run_pipeline', arguments: {} }, text: 'It ran.' },
    ]);
  });

  it('has nothing empty in it, and begins with a question', () => {
    expect(read(said('ASSISTANT', 'Hello.'), said('USER', ' '), said('ASSISTANT', ''), said('USER', 'One?'))).toEqual([
      'user: One?',
    ]);
  });
});
