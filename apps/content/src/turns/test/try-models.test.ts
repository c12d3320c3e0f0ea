import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { chatOf, says } from '../../../test/chat-script.ts';
import { openAiDouble, type ApiAnswer, type OpenAiDouble } from '../../../test/openai-double.ts';
import { startTestContent } from '../../../test/test-content.ts';
import { modelsUnderTest } from '../../model-runtime/test/models-under-test.ts';
import { TEST_QUESTION } from '../domain/language-model.ts';
import { tryModels } from '../models/try-models.ts';

let api: OpenAiDouble;
afterEach(() => api.close());

const refused = (status: number, code: string): ApiAnswer => ({ status, body: { error: { message: code, code } } });
/** By the name of the model. */
const answers: Readonly<Record<string, ApiAnswer>> = {
  good: says('OK'),
  wrongKey: refused(401, 'invalid_api_key'),
  unknown: refused(404, 'model_not_found'),
  broken: refused(400, 'nobody knows'),
  busy: refused(503, 'overloaded'),
  silent: { body: null },
};
const answering = () =>
  openAiDouble(
    ({ body }) => answers[(JSON.parse(body.toString()) as { model: string }).model] ?? refused(404, 'model_not_found'),
    { hearsTestQuestions: true },
  );

async function lineAbout(...names: string[]) {
  const lines: [level: string, text: string][] = [];
  const note = (level: string) => (_fields: object, text?: string) => void lines.push([level, text ?? '']);
  const logger = { info: note('info'), warn: note('warn') };
  const settings = { LLM_BASE_URL: api.baseUrl, LLM_MODEL: 'good', LLM_TITLE_MODEL: 'unknown' };
  const models = modelsUnderTest(names.map((name) => ({ name, baseUrl: api.baseUrl, apiKey: 'key' })));
  const options = { settings: { ...settings, LLM_REWRITE_MODEL: undefined }, logger, countTokens: () => 1 };
  await tryModels(models, { ...options, timeoutMs: 500 }, new AbortController().signal);
  expect(lines).toHaveLength(1);
  const host = new URL(api.baseUrl).host;
  return lines.map(([level, text]) => `${level}: ${text.replaceAll(` of ${host}`, '')}`)[0];
}

describe('the language models of a deployment', () => {
  it('are each asked for a word at a start, and are said in one line', async () => {
    api = await answering();
    expect(await lineAbout('good')).toBe('info: language models: good answers');
    const [request] = api.requests;
    expect(request && chatOf(request).messages.at(-1)?.content).toBe(TEST_QUESTION);
    expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ model: 'good', max_tokens: 16 });
  });

  it('are said with the setting that puts right what is wrong with one', async () => {
    api = await answering();
    const problems = {
      wrongKey: 'refuses the key: see LLM_API_KEY',
      unknown: 'does not exist there: see LLM_TITLE_MODEL',
      broken: 'answers with an error: see LLM_BASE_URL and LLM_OTHER_MODELS',
      busy: 'answers with an error: see LLM_BASE_URL and LLM_OTHER_MODELS',
      silent: 'says nothing: see LLM_BASE_URL',
    };
    const said = Object.entries(problems).map(([name, problem]) => `${name} ${problem}`);
    expect(await lineAbout('good', ...Object.keys(problems))).toBe(
      `warn: language models: ${['good answers', ...said].join('; ')}`,
    );
    expect(api.requests).toHaveLength(6);
    await api.close();
    expect(await lineAbout('good')).toBe(
      'warn: language models: good cannot be reached, or is asked too often: see LLM_BASE_URL',
    );
  });

  it('keep nothing from starting or from stopping while they are silent', async () => {
    api = await answering();
    const environment = { LLM_BASE_URL: api.baseUrl, LLM_MODEL: 'silent' };
    const content = await startTestContent({ idle: true, encoder: 'shipped', environment });
    await waitFor(() => api.requests.length === 1, { what: 'the test question' });
    await content.stop();
  });
});
