import { describe, expect, it } from '@jest/globals';
import { fairSemaphore, unavailable } from '@platform-backend/core';
import { setImmediate } from 'node:timers/promises';
import type { Search } from '../../passages/domain/search.ts';
import type { UsableTools } from '../../tool-servers/app/tool-session.ts';
import type { AnswerPart, Question } from '../domain/language-model.ts';
import { liveAnswer } from './live-answer.ts';
import type { Caller, GivenQuestion } from './turn-execution.ts';
import { writeAnswer } from './write-answer.ts';

const by: Caller = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'VIEWER' },
  requestId: 'r',
  clientGroupId: null,
  apiKeyId: null,
  rights: { documents: true, conventions: true, datasets: true, pipelines: true, runs: true },
};
const assistant = {
  ...{ id: 'a', name: 'A', instructions: '', tools: ['search_documents' as const], documentIds: [], collections: [] },
  ...{ model: '', temperature: null, toolEffects: 'ask' as const, toolServerIds: [] },
  documentLabels: [],
};
const unused = () => Promise.reject(new Error('nobody asks for it'));

const imageSlots = fairSemaphore({ slots: 1, share: 1, maxWaiting: 1, maxWaitingInAll: 1, timeoutMs: 60_000 });
/** How many answers are written, and were at the same moment. */
const writing = { now: 0, peak: 0 };

/** The end of a message of which a model writes these pieces, and what it was asked. */
async function written(
  pieces: readonly (string | AnswerPart | Error)[],
  conventions: readonly { title: string; content: string }[] = [],
  servers: Partial<UsableTools> = {},
  given?: GivenQuestion,
  { rewriteModel, rewritten = [], search = unused }: Rewriting = {},
) {
  const asked: Question[] = [];
  const logged: unknown[] = [];
  const live = liveAnswer('t');
  const end = await writeAnswer(
    {
      datasets: { find: unused, list: unused, query: unused },
      pipelines: { find: unused, list: unused, start: unused, readRun: unused },
      pause: unused,
      clock: { now: () => new Date(0) },
      approvalMs: 60_000,
      meters: {
        ...{ timeToFirstToken: () => undefined, ended: () => undefined, notStored: () => undefined },
        toolFailed: (tool) => logged.push({ counted: tool }),
      },
      search: { search },
      rewriteModel,
      schemas: { problemOf: unused, errorsIn: () => Promise.resolve(['/count must be integer']) },
      attachedFiles: { find: unused, readText: unused, readBytes: unused },
      imageSlots,
      logger: { warn: (fields: object) => logged.push(fields) },
      conversationTurns: { branchOf: () => Promise.resolve([]), claimApproved: () => Promise.resolve(true) },
      toolServers: () => ({
        usable: () => Promise.resolve({ tools: [], unavailable: [], ...servers }),
        close: () => Promise.resolve(),
      }),
      model: {
        ...{ name: 'm', quotesOnly: false, seesImages: () => false },
        termsOf: () => ({
          ...{ maxTokens: 1_000, maxWritten: 1_000, contextTokens: undefined },
          price: { input: 0n, output: 0n },
        }),
        async *answer(question): AsyncGenerator<AnswerPart> {
          await Promise.resolve();
          asked.push(question);
          if (question.model === rewriteModel) {
            for (const part of rewritten) {
              if (part instanceof Error) throw part;
              yield part;
            }
            return;
          }
          writing.now += 1;
          writing.peak = Math.max(writing.peak, writing.now);
          await setImmediate();
          writing.now -= 1;
          for (const piece of pieces) {
            if (piece instanceof Error) throw piece;
            yield typeof piece === 'string' ? { kind: 'text', text: piece } : piece;
          }
        },
      },
    },
    {
      ...{ by, assistant, ref: { turnId: 't', conversationId: 'c' }, live },
      context: { entities: [], conventions, documents: undefined },
      isAttended: true,
      ...(given && { given }),
    },
  );
  return { ...end, asked, logged, tools: live.tools, usage: live.usage, rewriteUsage: live.rewriteUsage };
}

interface Rewriting {
  readonly rewriteModel?: string;
  readonly rewritten?: readonly (AnswerPart | Error)[];
  readonly search?: Search['search'];
}

describe('a follow-up question', () => {
  const usage = (inputTokens: number, outputTokens: number): AnswerPart => ({
    kind: 'usage',
    usage: { inputTokens, outputTokens },
  });
  const conversation: GivenQuestion = {
    ...{ instructions: '', attached: undefined, temperature: null, generation: {} },
    messages: [
      { role: 'user', text: 'Where do guests park in Porto?' },
      { role: 'assistant', text: 'In the municipal garage.' },
      { role: 'user', text: 'And in Lyon?' },
    ],
  };
  const searched: string[] = [];
  const search: Search['search'] = (_organisationId, { text }) => {
    searched.push(text);
    return Promise.resolve({ hits: [], mode: 'hybrid', isComplete: true });
  };
  const rewritten: AnswerPart[] = [
    { kind: 'text', text: 'Where do guests park ' },
    { kind: 'text', text: 'in Lyon?\n' },
    usage(30, 7),
  ];
  const answer = ['Below the building.', usage(100, 10)];

  it('is said whole by the language model and looked for before the answer, at the price of both', async () => {
    searched.length = 0;
    const end = await written(answer, [], {}, conversation, { rewriteModel: 'small', rewritten, search });
    expect(searched).toEqual(['Where do guests park in Lyon?']);
    expect(end.asked.map(({ model }) => model)).toEqual(['small', '']);
    expect(end.asked[0]?.messages[0]?.text).toContain('municipal garage');
    expect(end.asked[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      call: { tool: 'search_documents', arguments: { query: 'Where do guests park in Lyon?' } },
    });
    expect([end.usage, end.rewriteUsage]).toEqual([
      { inputTokens: 100, outputTokens: 10 },
      { inputTokens: 30, outputTokens: 7 },
    ]);
  });

  it('is answered as it stands where nobody says it whole: no model is set, it fails, or says nothing', async () => {
    searched.length = 0;
    for (const rewriting of [
      {},
      { rewriteModel: 'small', rewritten: [unavailable(new Error('away'))] },
      { rewriteModel: 'small', rewritten: [{ kind: 'text', text: '  ' } as const] },
    ]) {
      const end = await written(answer, [], {}, conversation, { search, ...rewriting });
      expect(end.message).toBe('Below the building.');
      expect(end.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'And in Lyon?' });
    }
    expect(searched).toEqual([]);
  });

  it('is one only where something was said before', async () => {
    const first = { ...conversation, messages: conversation.messages.slice(-1) };
    const { asked } = await written(answer, [], {}, first, { rewriteModel: 'small', rewritten, search });
    expect(asked.map(({ model }) => model)).toEqual(['']);
  });
});

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

  it('with images is written beside few others, as what is made of them takes much memory', async () => {
    const image = { mediaType: 'image/png', bytes: new Uint8Array(1) };
    const asking = (images?: readonly [typeof image]): GivenQuestion => ({
      ...{ instructions: '', messages: [{ role: 'user', text: 'Look.', ...(images && { images }) }] },
      ...{ attached: undefined, temperature: null, generation: {} },
    });
    const peakOf = async (given: GivenQuestion): Promise<number> => {
      writing.peak = 0;
      await Promise.all([1, 2].map(() => written(['Yes.'], [], {}, given)));
      return writing.peak;
    };
    expect([await peakOf(asking()), await peakOf(asking([image]))]).toEqual([2, 1]);
    await expect(written([unavailable(new Error('reset'))], [], {}, asking([image]))).rejects.toThrow();
    expect(imageSlots.taken).toBe(0);
  });

  it('is kept where the model breaks off, with the reason why there is no more', async () => {
    const cut = await written(['Thirty ', 'days', unavailable(new Error('reset'))]);
    expect(cut).toMatchObject({
      message: 'Thirty days',
      messageType: 'TEXT',
      annotations: { incomplete: { code: 'unavailable' } },
    });
    expect(cut.logged).toMatchObject([{ event: 'turn.failed' }]);
    await expect(written([' ', unavailable(new Error('reset'))])).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it.each(['length', 'content_filter', 'tool_calls'] as const)('says that it is not whole: %s', async (reason) => {
    const { annotations } = await written(['Thirty', { kind: 'end', reason }]);
    expect(annotations).toMatchObject({ incomplete: { code: reason } });
  });

  it('is an error where the model says nothing, and whole where it says that it is', async () => {
    await expect(written([{ kind: 'end', reason: 'stop' }])).rejects.toMatchObject({ code: 'answer_empty' });
    await expect(written([' \n'])).rejects.toMatchObject({ code: 'answer_empty' });
    const withheld = written([{ kind: 'end', reason: 'content_filter' }]);
    await expect(withheld).rejects.toMatchObject({ code: 'answer_withheld' });
    expect((await written(['Yes.', { kind: 'end', reason: 'stop' }])).annotations).not.toHaveProperty('incomplete');
  });

  it('names the tools that failed, to whoever reads it and in the log', async () => {
    const error = new Error('connection refused');
    const { annotations, tools, logged } = await written([
      { kind: 'tool_call', tool: 'search_documents' },
      { kind: 'tool_result', tool: 'search_documents', isError: true, error },
      'I could not look.',
    ]);
    expect(annotations).toMatchObject({ failed_tools: ['search_documents'] });
    expect(tools.at(-1)).toEqual({ name: 'search_documents', isFinished: true, isFailed: true });
    expect(logged).toMatchObject([{ counted: 'search_documents' }, { event: 'turn.tool_failed', err: error }]);
  });

  it('counts a tool that the model has made up as none of ours: a metric has no label that somebody else chooses', async () => {
    const { logged } = await written([
      { kind: 'tool_call', tool: 'made_up_41' },
      { kind: 'tool_result', tool: 'made_up_41', isError: true, error: new Error('no such tool') },
      'I could not look.',
    ]);
    expect(logged).toMatchObject([{ counted: 'unknown' }, { event: 'turn.tool_failed', tool: 'made_up_41' }]);
  });

  it('follows the beginnings of long conventions, of whole characters', async () => {
    const { asked } = await written(['Yes.'], [{ title: 'Long', content: `x${'😀'.repeat(5_000)}` }]);
    const shown = asked[0]?.tools.find(({ name }) => name === 'read_context');
    const text = (await shown?.run({}, new AbortController().signal)) ?? '';
    expect(text).toContain(`Long:\nx${'😀'.repeat(1_999)}`);
    expect(text.isWellFormed()).toBe(true);
    expect(asked[0]?.instructions).not.toContain('Long');
  });
});

describe('an answer in JSON', () => {
  const schema = { type: 'object', properties: { count: { type: 'integer' } } };
  const format = { type: 'json_schema', json_schema: { name: 'count', schema } };
  const given = (): GivenQuestion => ({
    ...{ instructions: 'Be brief.', messages: [{ role: 'user', text: 'How many?' }], attached: undefined },
    ...{ temperature: null, generation: { responseFormat: format } },
  });

  it('is asked for in its form, and says whether it keeps to it', async () => {
    const { annotations, asked } = await written(['{"count": "x"}'], [], {}, given());
    expect(annotations).toMatchObject({
      structured_output: { status: 'invalid', errors: ['/count must be integer'] },
    });
    expect(asked[0]?.generation).toEqual({ responseFormat: format });
    expect(asked[0]?.instructions).toContain(JSON.stringify(schema));
    expect((await written(['three'], [], {}, given())).annotations).toMatchObject({
      structured_output: { status: 'invalid', errors: ['It is no JSON'] },
    });
    expect((await written(['three'])).annotations).not.toHaveProperty('structured_output');
  });
});

describe('an answer with tool servers', () => {
  it('is written without those that cannot be asked, which the model and whoever reads it are told', async () => {
    const { annotations, asked, logged } = await written(['Done.'], [], {
      unavailable: [{ server: 'crm', error: new Error('away') }],
    });
    expect(annotations).toMatchObject({ failed_tools: ['crm'] });
    expect(JSON.stringify(asked[0]?.messages)).toContain('cannot be reached now, so that their tools are missing: crm');
    expect(asked[0]?.instructions).not.toContain('crm');
    expect(logged).toContainEqual(expect.objectContaining({ event: 'turn.tool_server_unavailable', server: 'crm' }));
  });

  it('tells it the model also where the question comes with the request', async () => {
    const messages = [{ role: 'user' as const, text: 'What is order 42?' }];
    const given = { instructions: '', messages, temperature: null, generation: {} } as unknown as GivenQuestion;
    const { asked } = await written(
      ['Done.'],
      [],
      { unavailable: [{ server: 'crm', error: new Error('away') }] },
      given,
    );
    expect(asked[0]?.messages).toEqual([
      ...messages,
      expect.objectContaining({ role: 'tool', text: expect.stringContaining('their tools are missing: crm') }),
    ]);
  });
});
