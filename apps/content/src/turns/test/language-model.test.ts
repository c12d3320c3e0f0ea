import { afterEach, describe, expect, it } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { chatOf, says, saysAndWaits, toolAnswer, wants } from '../../../test/chat-script.ts';
import { openAiDouble, type ApiAnswer, type OpenAiDouble } from '../../../test/openai-double.ts';
import { modelsUnderTest, type ModelUnderTest } from '../../model-runtime/test/models-under-test.ts';
import { textArgument, type AnswerPart, type ModelTool, type Question } from '../domain/language-model.ts';
import { apiLanguageModel, type ApiLanguageModelOptions } from '../models/api-language-model.ts';

let api: OpenAiDouble;
afterEach(() => api.close());

/** Words, so that a reader can count them. */
const countTokens = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const asked: string[] = [];
const sales: ModelTool = {
  name: 'get_sales',
  description: 'Units sold',
  parameters: { region: 'Where' },
  run: (given) => {
    const region = textArgument(given, 'region');
    asked.push(region);
    return Promise.resolve(`42 in ${region}`);
  },
};

const modelsOfApi = (limits: ModelUnderTest = {}) =>
  modelsUnderTest([
    { name: 'm', baseUrl: api.baseUrl, apiKey: 'key', ...limits },
    { name: 'large', baseUrl: api.baseUrl, apiKey: 'key' },
  ]);

async function answer(
  { maxSteps, maxRetries, ...limits }: Partial<ApiLanguageModelOptions> & ModelUnderTest = {},
  { signal = new AbortController().signal, ...own }: { signal?: AbortSignal } & Partial<Question> = {},
) {
  asked.length = 0;
  const model = apiLanguageModel(modelsOfApi(limits), {
    countTokens,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxRetries !== undefined && { maxRetries }),
  });
  const question = {
    instructions: 'Be brief.',
    messages: [{ role: 'user', text: 'How many?' }] as const,
    tools: [sales],
    model: '',
    temperature: null,
    ...own,
  };
  const parts: AnswerPart[] = [];
  for await (const part of model.answer(question, signal)) parts.push(part);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const usage = parts.findLast(({ kind }) => kind === 'usage');
  return { parts, text, usage };
}

const soon = { 'retry-after-ms': '1' };

describe('a model behind an API', () => {
  it('answers in pieces, with the instructions and the question before it', async () => {
    api = await openAiDouble(() => says('Forty', '-two.'));
    const { parts, usage } = await answer();
    expect(parts.filter(({ kind }) => kind === 'text')).toEqual([
      { kind: 'text', text: 'Forty' },
      { kind: 'text', text: '-two.' },
    ]);
    expect(usage).toMatchObject({ usage: { inputTokens: 100, outputTokens: 10 } });
    const [request] = api.requests;
    expect(request?.headers.authorization).toBe('Bearer key');
    expect(request && chatOf(request).messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'How many?'],
    ]);
  });

  it('is the one that the assistant was given, at its temperature', async () => {
    api = await openAiDouble(() => says('42.'));
    await answer({}, { model: 'large', temperature: 0.2 });
    await answer();
    const bodies = api.requests.map((request) => JSON.parse(request.body.toString()) as object);
    expect(bodies[0]).toMatchObject({ model: 'large', temperature: 0.2 });
    expect(bodies[1]).toMatchObject({ model: 'm' });
    expect(bodies[1]).not.toHaveProperty('temperature');
  });

  it('uses a tool and counts what all steps have used', async () => {
    api = await openAiDouble((_, count) => (count === 1 ? wants('get_sales', '{"region":"north"}') : says('42.')));
    const { parts, text, usage } = await answer();
    expect([asked, text]).toEqual([['north'], '42.']);
    expect(parts).toEqual(
      expect.arrayContaining([
        { kind: 'tool_call', tool: 'get_sales' },
        { kind: 'tool_result', tool: 'get_sales', isError: false },
      ]),
    );
    expect(usage).toMatchObject({ usage: { inputTokens: 200, outputTokens: 20 } });
    expect(api.requests[1] && toolAnswer(api.requests[1])).toContain('42 in north');
  });

  it('counts while it answers: what was read before the first word, then what is written', async () => {
    const open = Promise.withResolvers<undefined>();
    api = await openAiDouble(() => saysAndWaits('Forty two.', open.promise));
    const stop = new AbortController();
    const parts: AnswerPart[] = [];
    const model = apiLanguageModel(modelsOfApi(), { countTokens });
    const question = { instructions: 'Be brief.', messages: [{ role: 'user', text: 'How many?' }] as const };
    const answered = (async () => {
      const whole = { ...question, tools: [], model: '', temperature: null };
      for await (const part of model.answer(whole, stop.signal)) parts.push(part);
    })();
    await waitFor(() => parts.length === 2, { what: 'the first words' });
    stop.abort(new Error('stopped'));
    await expect(answered).rejects.toThrow('stopped');
    open.resolve(undefined);
    expect(parts).toEqual([
      { kind: 'usage', usage: { inputTokens: 4, outputTokens: 2 } },
      { kind: 'text', text: 'Forty two.' },
    ]);
  });

  it('counts by itself what a server does not say, each step with all that came before it', async () => {
    const silent = (answer: ApiAnswer): ApiAnswer => ({
      ...answer,
      body: String(answer.body).replace(/data: [^\n]*"usage"[^\n]*\n\n/, ''),
    });
    api = await openAiDouble((_, count) =>
      silent(count === 1 ? wants('get_sales', '{"region":"north"}') : says('Forty two.')),
    );
    const { usage } = await answer();
    // The question with its tool is 6 words, the call 1 and its answer 3.
    expect(usage).toMatchObject({ usage: { inputTokens: 6 + (6 + 1 + 3), outputTokens: 1 + 2 } });
  });

  it('is asked again when it refuses for a while', async () => {
    const refusals = [429, 500];
    api = await openAiDouble((_, count) => {
      const status = refusals[count - 1];
      return status === undefined ? says('Yes.') : { status, headers: soon, body: { error: { message: 'no' } } };
    });
    expect((await answer()).text).toBe('Yes.');
    expect(api.requests).toHaveLength(3);
  });

  it.each([
    ['too many requests', { status: 429, headers: soon, body: { error: { message: 'slow down' } } }, 'unavailable'],
    ['a defect', { status: 500, headers: soon, body: 'oops' }, 'upstream_failed'],
    ['a wrong key', { status: 401, body: { error: { message: 'bad key' } } }, 'upstream_failed'],
    ['silence', { body: null }, 'unavailable'],
  ])('is refused when the answer is %s', async (_what, reply, kind) => {
    api = await openAiDouble(() => reply);
    const limits = reply.body === null ? { silenceMs: 300, firstTokenMs: 300 } : {};
    await expect(answer(limits)).rejects.toMatchObject({ kind });
  });

  it.each([
    ['a wrong key', 401, 'no such key', 'model_key_refused'],
    ['an unknown model', 404, 'The model `m` does not exist', 'model_not_found'],
    ['a question that is too long', 400, "This model's maximum context length is 8192 tokens", 'context_too_long'],
    ['something else', 400, 'bad request', 'upstream_failed'],
  ])('says what there is to do about %s', async (_what, status, message, code) => {
    api = await openAiDouble(() => ({ status, body: { error: { message } } }));
    const error = await answer().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ kind: 'upstream_failed' });
    expect((error as DomainError).code).toBe(code);
  });

  it('says why its answer ends', async () => {
    const endsWith = (reason: string): ApiAnswer => {
      const { body, ...rest } = says('For');
      return { ...rest, body: String(body).replace('"stop"', `"${reason}"`) };
    };
    for (const [reason, told] of [
      ['stop', 'stop'],
      ['length', 'length'],
      ['content_filter', 'content_filter'],
    ] as const) {
      api = await openAiDouble(() => endsWith(reason));
      expect((await answer()).parts.at(-1)).toEqual({ kind: 'end', reason: told });
      await api.close();
    }
    api = await openAiDouble(() => wants('get_sales', '{"region":"north"}'));
    expect((await answer({ maxSteps: 2 })).parts.at(-1)).toEqual({ kind: 'end', reason: 'tool_calls' });
  });

  it('is told that a tool has failed, and nothing of how the platform is built', async () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.3:5004');
    const failing = { ...sales, run: () => Promise.reject(cause) };
    api = await openAiDouble((_, count) => (count === 1 ? wants('get_sales', '{"region":"north"}') : says('Sorry.')));
    const { parts } = await answer({}, { tools: [failing] });
    expect(parts).toContainEqual({ kind: 'tool_result', tool: 'get_sales', isError: true, error: cause });
    const told = api.requests[1] ? toolAnswer(api.requests[1]) : '';
    expect(told).toContain('The tool has failed');
    expect(told).not.toContain('ECONNREFUSED');
  });

  it('is given up when it falls silent in the middle', async () => {
    api = await openAiDouble(() => saysAndWaits('For', new Promise(() => undefined)));
    await expect(answer({ silenceMs: 300, firstTokenMs: 300 })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is not given up while it waits for a tool that takes longer than it may be silent', async () => {
    const silenceMs = 300;
    const slow = { ...sales, run: () => delay(3 * silenceMs, '42 in all') };
    api = await openAiDouble((_, count) => (count === 1 ? wants('get_sales', '{"region":"all"}') : says('42.')));
    expect((await answer({ silenceMs, firstTokenMs: silenceMs }, { tools: [slow] })).text).toBe('42.');
    expect(api.requests[1] && toolAnswer(api.requests[1])).toContain('42 in all');
  });

  it('is told once what is wrong with its arguments', async () => {
    api = await openAiDouble((_, count) => (count === 1 ? wants('get_sales', '{"region":7') : says('Sorry.')));
    expect((await answer()).text).toBe('Sorry.');
    expect(asked).toEqual([]);
    expect(api.requests[1] && toolAnswer(api.requests[1])).toMatch(/invalid|parse|error/i);
  });

  it.each([
    ['arguments that cannot be read', 'get_sales', '{"region":'],
    ['arguments of another kind', 'get_sales', '{"region":7}'],
    ['a tool that it does not have', 'delete_everything', '{}'],
  ])('fails when it insists on %s', async (_what, tool, given) => {
    api = await openAiDouble(() => wants(tool, given));
    await expect(answer()).rejects.toMatchObject({ kind: 'upstream_failed' });
    expect([asked, api.requests.length]).toEqual([[], 2]);
  });

  it('is asked so many times in one turn at most', async () => {
    api = await openAiDouble(() => wants('get_sales', '{"region":"north"}'));
    await answer({ maxSteps: 3 });
    expect(api.requests).toHaveLength(3);
    await answer({ maxTokens: 200 });
    expect(api.requests).toHaveLength(4);
  });

  it('stops as soon as nobody wants the answer', async () => {
    const stop = new AbortController();
    const isClosed = Promise.withResolvers<undefined>();
    api = await openAiDouble(() => saysAndWaits('For', isClosed.promise));
    const answered = answer({}, { signal: stop.signal });
    await waitFor(() => api.requests.length === 1, { what: 'the request' });
    stop.abort(new Error('stopped'));
    await expect(answered).rejects.toThrow('stopped');
    isClosed.resolve(undefined);
  });
});
