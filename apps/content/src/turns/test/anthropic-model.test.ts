import { afterEach, describe, expect, it } from '@jest/globals';
import { claudeBreaksOff, claudeRefuses, claudeSays, claudeWants } from '../../../test/anthropic-script.ts';
import { openAiDouble as double, type OpenAiDouble as Double } from '../../../test/openai-double.ts';
import { modelsUnderTest, type ModelUnderTest } from '../../model-runtime/test/models-under-test.ts';
import { textArgument, type AnswerPart, type ModelTool, type Question } from '../domain/language-model.ts';
import { apiLanguageModel } from '../models/api-language-model.ts';

let api: Double;
afterEach(() => api.close());

const countTokens = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const sales: ModelTool = {
  name: 'get_sales',
  description: 'Units sold',
  parameters: { region: 'Where' },
  run: (given) => Promise.resolve(`42 in ${textArgument(given, 'region')}`),
};

async function answer(own: Partial<Question> = {}, limits: ModelUnderTest = {}) {
  const claude = { name: 'claude', model: 'claude-sonnet-4-5', provider: 'anthropic', apiKey: 'sk-ant' } as const;
  const model = apiLanguageModel(modelsUnderTest([{ ...claude, baseUrl: api.baseUrl, ...limits }]), { countTokens });
  const parts: AnswerPart[] = [];
  const question = {
    ...{ instructions: 'Be brief.', messages: [{ role: 'user', text: 'How many?' }] as const, tools: [sales] },
    ...{ model: 'claude', temperature: null, ...own },
  };
  for await (const part of model.answer(question, new AbortController().signal)) parts.push(part);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  return { parts, text, usage: parts.findLast(({ kind }) => kind === 'usage') };
}

const bodyOf = (at: number) => JSON.parse(String(api.requests[at]?.body)) as Record<string, unknown>;

describe("a model that speaks Anthropic's protocol", () => {
  it('is asked with its key and limits, and answers in pieces', async () => {
    api = await double(() => claudeSays('Forty', '-two.'));
    const { text, usage, parts } = await answer({ temperature: 0.2 }, { maxOutputTokens: 500 });
    expect(text).toBe('Forty-two.');
    expect(usage).toMatchObject({ usage: { inputTokens: 100, outputTokens: 10 } });
    expect(parts.at(-1)).toEqual({ kind: 'end', reason: 'stop' });
    const [request] = api.requests;
    expect(request?.path).toBe('/v1/messages');
    expect(request?.headers).toMatchObject({ 'x-api-key': 'sk-ant' });
    expect(request?.headers['anthropic-version']).toBeDefined();
    expect(bodyOf(0)).toMatchObject({
      ...{ model: 'claude-sonnet-4-5', max_tokens: 500, temperature: 0.2, stream: true },
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'How many?' }] }],
      tools: [{ name: 'get_sales', input_schema: { type: 'object' } }],
    });
  });

  it('uses tools, and is paid for all steps', async () => {
    api = await double((_, count) =>
      count === 1 ? claudeWants('get_sales', '{"region":"north"}') : claudeSays('42.'),
    );
    const { text, usage } = await answer();
    expect(text).toBe('I look. 42.');
    expect(usage).toMatchObject({ usage: { inputTokens: 200, outputTokens: 20 } });
    expect(JSON.stringify(bodyOf(1))).toContain('42 in north');
    expect(bodyOf(1)['messages']).toMatchObject([
      {},
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result' }] },
    ]);
  });

  it('sees images', async () => {
    api = await double(() => claudeSays('A cat.'));
    const images = [{ mediaType: 'image/png', bytes: Buffer.from('png') }];
    await answer({ messages: [{ role: 'user', text: 'What is it?', images }] });
    expect(bodyOf(0)['messages']).toMatchObject([
      { content: [{ type: 'text' }, { type: 'image', source: { type: 'base64', media_type: 'image/png' } }] },
    ]);
  });

  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 'model_key_refused'],
    [403, 'permission_error', 'not allowed', 'model_key_refused'],
    [404, 'not_found_error', 'model: claude-sonnet', 'model_not_found'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_too_long'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'model_unpaid'],
    [429, 'rate_limit_error', 'too many requests', 'unavailable'],
    [529, 'overloaded_error', 'Overloaded', 'unavailable'],
  ])('that refuses with %i %s says what somebody can do: %s', async (status, type, message, code) => {
    api = await double(() => claudeRefuses(status, type, message));
    await expect(answer()).rejects.toMatchObject({ code });
  });

  it('that breaks off fails, after what it has said', async () => {
    api = await double(() => claudeBreaksOff('Forty'));
    await expect(answer()).rejects.toMatchObject({ kind: 'upstream_failed' });
  });

  it('that takes longer than it may is given up, and is told apart from one that is away', async () => {
    api = await double(() => ({ body: null }));
    await expect(answer({}, { answerMs: 200 })).rejects.toMatchObject({ code: 'model_too_slow' });
    await expect(answer({}, { firstTokenMs: 200 })).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
