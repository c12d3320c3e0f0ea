import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../conversations/domain/message.ts';
import { followTurn, type TurnUpdate } from './follow-turn.ts';
import { liveAnswer } from './live-answer.ts';

const { signal } = new AbortController();
const message = (text: string, more: Partial<Message> = {}): Message => ({
  ...{ id: 't', conversationId: 'c', memberId: 'ada', senderId: 'a', senderType: 'ASSISTANT', message: text },
  ...{ messageType: 'TEXT', isFinished: true, annotations: {}, parentId: 'q', createdAt: new Date(0) },
  ...more,
});

async function all(updates: AsyncIterable<TurnUpdate>): Promise<TurnUpdate[]> {
  const seen: TurnUpdate[] = [];
  for await (const update of updates) seen.push(update);
  return seen;
}
const textOf = (updates: readonly TurnUpdate[]) => updates.flatMap((one) => (one.kind === 'text' ? [one.text] : []));

describe('following a turn', () => {
  it('tells a slow reader in larger pieces, and every reader all of it', async () => {
    const live = liveAnswer('t');
    const reader = followTurn({ running: live, stored: () => Promise.resolve(message('abcdef')), from: 0, signal });
    live.write('ab');
    expect((await reader.next()).value).toEqual({ kind: 'text', text: 'ab', position: 2 });
    live.write('c');
    live.use({ name: 'search_documents', isFinished: false, isFailed: false });
    live.write('de');
    const second = reader.next();
    live.write('f');
    live.finish();
    const rest = [(await second).value as TurnUpdate, ...(await all(reader))];
    expect(textOf(rest).join('')).toBe('cdef');
    expect(rest.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['tool', 'finished']));
  });

  it('does not tell half a character', async () => {
    const live = liveAnswer('t');
    const [first, second] = ['🐝'.charAt(0), '🐝'.charAt(1)];
    const reader = followTurn({ running: live, stored: () => Promise.resolve(message('a🐝')), from: 0, signal });
    live.write(`a${first}`);
    expect((await reader.next()).value).toMatchObject({ text: 'a' });
    live.write(second);
    live.finish();
    expect(textOf(await all(reader))).toEqual(['🐝']);
  });

  it('ends as soon as its reader has gone, however long the model thinks', async () => {
    const live = liveAnswer('t');
    const gone = new AbortController();
    const stored = () => Promise.reject(new Error('nobody reads it'));
    const next = followTurn({ running: live, stored, from: 0, signal: gone.signal }).next();
    gone.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('reads what another process writes, after what is known', async () => {
    const versions = [message('abc', { isFinished: false }), message('abcd')];
    const stored = () => Promise.resolve(versions.shift() ?? message('never'));
    expect(await all(followTurn({ running: undefined, stored, from: 1, signal }))).toMatchObject([
      { kind: 'text', text: 'bc', position: 3 },
      { kind: 'text', text: 'd', position: 4 },
      { kind: 'finished', message: { message: 'abcd' } },
    ]);
  });

  it('does not tell an error as if it were the answer', async () => {
    const stored = () => Promise.resolve(message('It failed.', { messageType: 'ERROR' }));
    const updates = await all(followTurn({ running: undefined, stored, from: 0, signal }));
    expect(updates.map(({ kind }) => kind)).toEqual(['finished']);
  });
});
