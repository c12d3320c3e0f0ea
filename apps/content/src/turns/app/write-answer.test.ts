import { describe, expect, it } from '@jest/globals';
import type { AnswerPart, Question } from '../domain/language-model.ts';
import { liveAnswer } from './live-answer.ts';
import { writeAnswer, type Caller } from './write-answer.ts';

const by: Caller = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'VIEWER' },
  requestId: 'r',
  clientGroupId: null,
  apiKeyId: null,
  rights: { documents: true, conventions: true, datasets: true, pipelines: true, runs: true },
};
const assistant = {
  ...{ id: 'a', name: 'A', instructions: '', tools: [], documentIds: [], collections: [] },
  ...{ model: '', temperature: null },
};
const unused = () => Promise.reject(new Error('nobody asks for it'));

/** The end of a message of which a model writes these pieces, and what it was asked. */
async function written(pieces: readonly string[], conventions: readonly { title: string; content: string }[] = []) {
  const asked: Question[] = [];
  const end = await writeAnswer(
    {
      datasets: { find: unused, list: unused, query: unused },
      pipelines: { find: unused, list: unused, start: unused, readRun: unused },
      pause: unused,
      search: { search: unused },
      conversationTurns: { branchOf: () => Promise.resolve([]) },
      model: {
        ...{ name: 'm', quotesOnly: false, maxTokens: 1_000 },
        async *answer(question): AsyncGenerator<AnswerPart> {
          await Promise.resolve();
          asked.push(question);
          for (const text of pieces) yield { kind: 'text', text };
        },
      },
    },
    {
      ...{ by, assistant, ref: { turnId: 't', conversationId: 'c' }, live: liveAnswer('t') },
      context: { entities: [], conventions, documents: undefined },
    },
  );
  return { ...end, asked };
}

describe('an answer that an assistant writes', () => {
  it('is what the model writes', async () => {
    const { message, annotations } = await written(['Thirty ', 'days.']);
    expect([message, annotations]).toEqual(['Thirty days.', expect.not.objectContaining({ cut: true })]);
  });

  it('is cut at its limit, between characters', async () => {
    const whole = await written(['x'.repeat(99_999), 'yz', 'more']);
    expect(whole).toMatchObject({ message: `${'x'.repeat(99_999)}y`, annotations: { cut: true } });
    const between = await written([`x${'😀'.repeat(60_000)}`, 'more']);
    expect(between).toMatchObject({ message: `x${'😀'.repeat(49_999)}`, annotations: { cut: true } });
  });

  it('follows the beginnings of long conventions, of whole characters', async () => {
    const { asked } = await written([], [{ title: 'Long', content: `x${'😀'.repeat(5_000)}` }]);
    expect(asked[0]?.instructions).toContain(`Long:\nx${'😀'.repeat(1_999)}`);
    expect(asked[0]?.instructions.isWellFormed()).toBe(true);
  });
});
