import { afterEach, describe, expect, it } from '@jest/globals';
import { openAiDouble, type ApiAnswer, type OpenAiDouble } from '../../../test/openai-double.ts';
import type { EncoderIdentity } from '../domain/encoder-identity.ts';
import { apiEmbeddings } from '../models/api-embeddings.ts';
import { openEmbeddings } from '../models/open-embeddings.ts';

const ours = { organisationId: 'org_1' };

let api: OpenAiDouble;
afterEach(() => api.close());

const inputOf = (body: Buffer) => JSON.parse(body.toString()) as { input: string[]; encoding_format: string };

/** In another order than asked for, each vector with the length of its text in it. */
const embedded = (body: Buffer, encode: (vector: number[]) => unknown): ApiAnswer => ({
  body: {
    object: 'list',
    model: 'm',
    data: inputOf(body)
      .input.map((text, index) => ({ object: 'embedding', index, embedding: encode([text.length, 0.5]) }))
      .reverse(),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
});
const base64 = (vector: number[]) => Buffer.from(Float32Array.from(vector).buffer).toString('base64');

const client = (limits = {}) => apiEmbeddings({ baseUrl: api.baseUrl, apiKey: 'key', model: 'm' }, limits);

describe('embeddings by an API', () => {
  it.each([
    ['base64', base64],
    ['lists, as some servers answer whatever is asked for', (vector: number[]) => vector],
  ])('come as %s, in batches and in the order of the texts', async (_kind, encode) => {
    api = await openAiDouble(({ body }) => embedded(body, encode));
    const texts = Array.from({ length: 70 }, (_text, at) => 'x'.repeat(at + 1));
    const vectors = await client().embed(texts, ours);
    expect(vectors.map(([first = 0, second = 1]) => Math.round((first / second) * 0.5))).toEqual(
      texts.map(({ length }) => length),
    );
    expect(api.requests.map(({ body }) => inputOf(body).input.length)).toEqual([32, 32, 6]);
    expect(api.requests[0]).toMatchObject({ path: '/v1/embeddings', headers: { authorization: 'Bearer key' } });
  });

  it('tell questions from passages by what stands in front, and leave other texts as they are', async () => {
    api = await openAiDouble(({ body }) => embedded(body, base64));
    const { model, close } = await openEmbeddings(
      {
        EMBEDDINGS_BASE_URL: api.baseUrl,
        EMBEDDINGS_API_KEY: undefined,
        EMBEDDINGS_MODEL: 'multilingual-e5-large',
        EMBEDDINGS_QUESTION_PREFIX: 'query:',
        EMBEDDINGS_PASSAGE_PREFIX: 'passage:',
      },
      undefined,
      { warn: () => undefined },
    );
    for (const as of ['question', 'passage', undefined] as const) await model.embed(['Urlaub'], { ...ours, as });
    expect(api.requests.map(({ body }) => inputOf(body).input)).toEqual([
      ['query: Urlaub'],
      ['passage: Urlaub'],
      ['Urlaub'],
    ]);
    await close();
  });

  it('have as many dimensions as were asked for, which servers that cannot do that are not', async () => {
    api = await openAiDouble(({ body }) => embedded(body, base64));
    const { baseUrl } = api;
    const choice = { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: undefined, EMBEDDINGS_MODEL: 'm' };
    let seen = 0;
    const asked = async (dimensions: number | undefined, wanted: Partial<EncoderIdentity>) => {
      const { identity, model, before } = await openEmbeddings(
        { ...choice, EMBEDDINGS_DIMENSIONS: dimensions },
        undefined,
        { warn: () => undefined },
      );
      expect(identity).toMatchObject({ name: 'm', endpoint: new URL(baseUrl).host });
      await model.embed(['text'], ours);
      const one = before({ ...identity, ...wanted }, { ...identity, dimensions: 512 });
      await one?.embed(['text'], ours);
      const mine = api.requests.slice(seen);
      seen = api.requests.length;
      return mine.map(({ body }) => (JSON.parse(body.toString()) as { dimensions?: number }).dimensions);
    };
    expect(await asked(512, { dimensions: 256 })).toEqual([512, 256]);
    expect(await asked(undefined, { dimensions: 256 })).toEqual([undefined, 256]);
    expect(await asked(undefined, { dimensions: 512, prefixes: { question: 'q', passage: '' } })).toEqual([
      undefined,
      undefined,
    ]);
    expect(await asked(undefined, { endpoint: 'other.example' })).toEqual([undefined]);
    expect(await asked(undefined, { endpoint: undefined, dimensions: undefined, name: 'n' })).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('are of the beginning of a text that is too long for the server, and of all of the others', async () => {
    api = await openAiDouble(({ body }) =>
      inputOf(body).input.some(({ length }) => length > 1_000)
        ? { status: 400, body: { error: { message: 'This model’s maximum context length is 256 tokens' } } }
        : embedded(body, base64),
    );
    const vectors = await client().embed(['x'.repeat(10), 'y'.repeat(3_000), 'z'.repeat(20)], ours);
    expect(vectors.map(([first = 0, second = 1]) => Math.round((first / second) * 0.5))).toEqual([10, 750, 20]);
    expect(api.requests.length).toBeLessThan(10);
    await api.close();
    api = await openAiDouble(() => ({ status: 413, body: {} }));
    await expect(client().embed(['x'.repeat(3_000)], ours)).rejects.toMatchObject({ kind: 'upstream_failed' });
    expect(api.requests.length).toBeLessThan(10);
  });

  it('are asked for again after a refusal that passes', async () => {
    api = await openAiDouble(({ body }, count) =>
      count === 1
        ? { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } }
        : count === 2
          ? { status: 500, body: 'oops' }
          : embedded(body, base64),
    );
    await expect(client().embed(['one'], ours)).resolves.toHaveLength(1);
    expect(api.requests).toHaveLength(3);
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after-ms': '1' }, body: {} }, 'unavailable'],
    ['500', { status: 500, headers: { 'retry-after-ms': '1' }, body: 'oops' }, 'upstream_failed'],
    ['a wrong key', { status: 401, body: { error: { message: 'bad key' } } }, 'upstream_failed'],
    ['no JSON', { body: '<html>' }, 'upstream_failed'],
    ['too few vectors', { body: { data: [] } }, 'upstream_failed'],
    ['no vectors', { body: { data: [{ index: 0, embedding: null }] } }, 'upstream_failed'],
    ['zeros', { body: { data: [{ index: 0, embedding: [0, 0] }] } }, 'upstream_failed'],
    ['something else', { body: { hello: 'world' } }, 'upstream_failed'],
    ['nothing', { body: null }, 'unavailable'],
  ])('are refused when the answer is %s', async (_what, answer, kind) => {
    api = await openAiDouble(() => answer);
    await expect(client({ timeoutMs: 300 }).embed(['one'], ours)).rejects.toMatchObject({ kind });
  });

  it('are unavailable when nobody is there, and when nobody wants them any more', async () => {
    const gone = new AbortController();
    api = await openAiDouble(() => {
      gone.abort();
      return { body: null };
    });
    await expect(client().embed(['one'], { ...ours, signal: gone.signal })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    const nobody = apiEmbeddings({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined, model: 'm' });
    await expect(nobody.embed(['one'], ours)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
