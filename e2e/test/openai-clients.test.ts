import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { leaveOut } from '@platform-backend/testing/where';
import { OpenAI } from 'openai';
import { expectOk, newCustomer, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import { silence } from '../src/recording.ts';
import type { ClientGroup, CreatedApiKey, CreditBalance } from '../src/resources.ts';

const platform = sharedPlatform();

type ClientOptions = ConstructorParameters<typeof OpenAI>[0];

/** The client of OpenAI as it comes from npm, with its usual settings. */
const clientWith = (apiKey: string, more: ClientOptions = {}) =>
  new OpenAI({ apiKey, baseURL: `${platform.url}/v1`, ...more });

const SCOPES = ['assistants:write', 'conventions:read', 'documents:write', 'transcription:write'];

const newKey = async (by: Person, more: object = {}): Promise<string> => {
  const body = { name: 'A client of OpenAI', scopes: SCOPES, ...more };
  return expectOk(await by.call<CreatedApiKey>('POST', '/api-keys/', { body })).api_key;
};

describe('a client of OpenAI', () => {
  let owner: Person;
  let openai: OpenAI;
  let conventionId: string;
  beforeAll(async () => {
    owner = await newCustomer(platform, 'Olga');
    openai = clientWith(await newKey(owner));
    const body = { title: 'Holidays', content: 'Everybody has thirty days of holidays in a year.' };
    ({ id: conventionId } = expectOk(await owner.call<{ id: string }>('POST', '/conventions/', { body })));
    const search = () => owner.call<{ hits: unknown[] }>('POST', '/search/', { body: { query: 'holidays' } });
    await waitFor(async () => expectOk(await search()).hits.length > 0, { what: 'the index' });
  });

  const question = { model: 'general', messages: [{ role: 'user' as const, content: 'How many days of holidays?' }] };

  it('finds the assistants as models', async () => {
    const made = expectOk(await owner.call<{ id: string }>('POST', '/assistants/', { body: { name: 'House rules' } }));
    const listed = [];
    for await (const { id, object } of openai.models.list()) listed.push([id, object]);
    expect(listed).toEqual(
      expect.arrayContaining([
        ['general', 'model'],
        [made.id, 'model'],
      ]),
    );
    expect(await openai.models.retrieve('House rules')).toMatchObject({ id: made.id, owned_by: 'organisation' });
    expect((await openai.models.retrieve(made.id)).created).toBeGreaterThan(1_700_000_000);
  });

  it('is answered from the sources of the assistant, in several turns, for credits', async () => {
    const balance = async () => expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/')).available_micros;
    const before = await balance();
    const { choices, usage } = await openai.chat.completions.create(question);
    const [answer] = choices;
    expect(answer).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } });
    expect(answer?.message.content).toContain('thirty days of holidays');
    expect(answer?.message.annotations).toMatchObject([
      { type: 'file_citation', file_citation: { file_id: conventionId, filename: 'Holidays' } },
    ]);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    await waitFor(async () => (await balance()) < before, { what: 'the debit' });
    if (!answer) throw new Error('no answer');
    const again = await openai.chat.completions.create({
      model: 'general',
      messages: [
        { role: 'system', content: 'Be brief.' },
        ...question.messages,
        // As it came.
        answer.message,
        { role: 'user', content: [{ type: 'text', text: 'Once more: how many days of holidays?' }] },
      ],
    });
    expect(again.choices[0]?.message.content).toContain('thirty days');
    expect(expectOk(await owner.call('GET', '/conversations/'))).toEqual([]);
  });

  it('is told the answer while it is written', async () => {
    const stream = await openai.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const reasons = [];
    let used;
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      if (choices[0]?.finish_reason) reasons.push(choices[0].finish_reason);
      used = usage ?? used;
    }
    expect(text).toContain('thirty days of holidays');
    expect(reasons).toEqual(['stop']);
    expect(used?.total_tokens).toBeGreaterThan(0);
    const whole = await openai.chat.completions.stream(question).finalContent();
    expect(whole).toContain('thirty days of holidays');
  });

  it('is answered once however often it asks with the same key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const first = await openai.chat.completions.create(question, { headers });
    expect(await openai.chat.completions.create(question, { headers })).toMatchObject({ id: first.id });
  });

  it('gets the meanings of texts, as numbers or as bytes', async () => {
    let model = '';
    for await (const listed of openai.models.list())
      if ('name' in listed && listed.name === 'Embeddings') model = listed.id;
    const input = ['Thirty days of holidays.', 'How long is the vacation?', 'The printer is broken.'];
    // The client asks for bytes by itself, and makes numbers of them.
    const { data, usage } = await openai.embeddings.create({ model, input });
    // The same texts together: what a local encoder gives depends a little on what it reads at once.
    const numbers = await openai.embeddings.create({ model, input, encoding_format: 'float' });
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(usage.total_tokens).toBeGreaterThan(10);
    const vectors = data.map(({ embedding }) => embedding);
    const cosine = (a: number[] = [], b: number[] = []) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(cosine(vectors[0], vectors[0])).toBeCloseTo(1, 3);
    expect(cosine(vectors[0], numbers.data[0]?.embedding)).toBeGreaterThan(0.999);
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(cosine(vectors[0], vectors[2]));
    await expect(openai.embeddings.create({ model: 'text-embedding-9', input: 'a' })).rejects.toThrow(
      OpenAI.NotFoundError,
    );
  });

  it('uploads files, which are read and found as documents, and takes them away', async () => {
    const text = `The printer stands in room 417. ${'It prints. '.repeat(8_000)}`;
    const file = await OpenAI.toFile(Buffer.from(text), 'printer.txt', { type: 'text/plain' });
    // Its file stands before its other fields in the form, and is larger than what is read at once elsewhere.
    const made = await openai.files.create({ file, purpose: 'assistants' });
    expect(made).toMatchObject({ object: 'file', filename: 'printer.txt', bytes: text.length, purpose: 'assistants' });
    const other = await openai.files.create({
      file: await OpenAI.toFile(Buffer.from('A'), 'a.txt'),
      purpose: 'user_data',
    });
    const processed = await openai.files.waitForProcessing(made.id, { pollInterval: 200 });
    expect(processed).toMatchObject({ status: 'processed' });
    const listed = [];
    for await (const { id } of openai.files.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual([other.id, made.id]);
    expect(await (await openai.files.content(made.id)).text()).toBe(text);
    const asked = { model: 'general', messages: [{ role: 'user' as const, content: 'Where does the printer stand?' }] };
    const answered = async () => (await openai.chat.completions.create(asked)).choices[0]?.message;
    const found = await waitFor(
      async () => {
        const message = await answered();
        return message?.content?.includes('room 417') ? message : undefined;
      },
      { what: 'the document' },
    );
    expect(found.annotations).toMatchObject([{ file_citation: { file_id: made.id, filename: 'printer.txt' } }]);
    const part = (id: string) => ({ type: 'file' as const, file: { file_id: id } });
    const aboutFile = (id: string) =>
      openai.chat.completions.create({
        model: 'general',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Where does the printer stand?' }, part(id)] }],
      });
    expect((await aboutFile(made.id)).choices[0]?.message.content).toContain('room 417');
    await expect(aboutFile(crypto.randomUUID())).rejects.toMatchObject({
      ...{ status: 400, param: 'messages[0].content[1].file.file_id', code: 'unsupported_value' },
    });
    expect(await openai.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
    await expect(openai.files.retrieve(made.id)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(openai.files.create({ file, purpose: 'fine-tune' })).rejects.toMatchObject({
      ...{ status: 400, param: 'purpose' },
    });
  });

  it('has recordings transcribed', async () => {
    // 16 KB: its file stands before its other fields.
    const file = await OpenAI.toFile(silence(), 'meeting.wav', { type: 'audio/wav' });
    try {
      const { text } = await openai.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' });
      expect(typeof text).toBe('string');
      const verbose = await openai.audio.transcriptions.create({
        ...{ file, model: 'whisper-1', response_format: 'verbose_json' },
      });
      expect(verbose.duration).toBeCloseTo(1, 1);
      const vtt = await openai.audio.transcriptions.create({ file, model: 'whisper-1', response_format: 'vtt' });
      expect(vtt).toMatch(/^WEBVTT\n\n/);
    } catch (error) {
      if (!(error instanceof OpenAI.InternalServerError) || error.status !== 503) throw error;
      expect(error.message).toContain('install');
      leaveOut('no recogniser of speech is installed: a client of OpenAI has nothing transcribed');
    }
    const diarized = openai.audio.transcriptions.create({
      ...{ file, model: 'whisper-1', response_format: 'diarized_json' },
    });
    await expect(diarized).rejects.toMatchObject({ status: 400, param: 'response_format' });
  });

  it('hears of errors in its own words', async () => {
    const create = (client: OpenAI, more: object = {}) => client.chat.completions.create({ ...question, ...more });
    await expect(create(clientWith('sk-none'))).rejects.toThrow(OpenAI.AuthenticationError);
    await expect(create(openai, { model: 'gpt-9' })).rejects.toThrow(OpenAI.NotFoundError);
    const refused: readonly (readonly [object, string, string])[] = [
      [{ n: 2 }, 'n', 'unsupported_value'],
      [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools', 'unsupported_parameter'],
      // There is no language model that would follow it.
      [{ temperature: 0.5 }, 'temperature', 'unsupported_parameter'],
      [{ temprature: 0.5 }, 'temprature', 'unknown_parameter'],
      // Nothing is fetched from anywhere.
      [
        {
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/' } }] }],
        },
        'messages[0].content[0].image_url.url',
        'unsupported_value',
      ],
      [{ messages: [{ role: 'wizard', content: 'a' }] }, 'messages[0].role', 'invalid_value'],
      [{ messages: undefined }, 'messages', 'missing_required_parameter'],
    ];
    for (const [more, param, code] of refused) {
      const error: unknown = await create(openai, more).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ status: 400, param, code, type: 'invalid_request_error' });
    }
    const stranger = clientWith(await newKey(owner, { scopes: ['documents:read'] }));
    await expect(create(stranger)).rejects.toThrow(OpenAI.PermissionDeniedError);
    const poor = await newPerson(platform, 'Paula');
    await newOrganisation(poor);
    for (const stream of [false, true]) {
      await expect(create(clientWith(await newKey(poor)), { stream })).rejects.toMatchObject({
        ...{ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' },
      });
    }
  });

  it('tries again when it has asked too often, and goes on when it may', async () => {
    const group = expectOk(await owner.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Few' } }));
    const setLimit = async (limit: number) => {
      const policy = { period_days: 30, ai_credit_limit: null, infrastructure_credit_limit: null, hard_stop: true };
      const body = { ...policy, request_limit: limit };
      expectOk(await owner.call('PUT', `/client-groups/${group.id}/policy/`, { body }));
    };
    await setLimit(0);
    const statuses: number[] = [];
    const counting: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    };
    const limited = clientWith(await newKey(owner, { client_group_id: group.id }), { fetch: counting, maxRetries: 1 });
    const error: unknown = await limited.models.list().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(Number((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get('retry-after'))).toBeGreaterThan(0);
    expect(statuses).toEqual([429, 429]);
    await setLimit(1_000);
    await waitFor(
      () =>
        limited.models.list().then(
          () => true,
          () => false,
        ),
      { what: 'the raised limit to hold' },
    );
  });
});
