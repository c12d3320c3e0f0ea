import { afterAll, describe, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { installedModel } from '../../../test/installed-models.ts';
import { openAiDouble, type ApiAnswer, type ApiRequest } from '../../../test/openai-double.ts';
import type { RerankOptions } from '../domain/reranker.ts';
import { apiReranker } from '../models/api-reranker.ts';
import {
  installedReranker,
  LOCAL_RERANKER,
  localReranker,
  type LocalRerankerOptions,
} from '../models/local-reranker.ts';

const options: RerankOptions = { organisationId: 'org_1', signal: new AbortController().signal };

describe('a reranker by an API', () => {
  async function ask(model: string | undefined, answer: (request: ApiRequest) => ApiAnswer, texts = ['a', 'b']) {
    const api = await openAiDouble(answer);
    try {
      const reranker = apiReranker({ baseUrl: api.baseUrl, apiKey: 'key', model, relevantFrom: 0.3 }, 2_000);
      const scores = await reranker.rerank('Which?', texts, options);
      return { scores, request: api.requests[0], model: reranker.model };
    } finally {
      await api.close();
    }
  }
  const bodyOf = (request: ApiRequest | undefined): unknown => JSON.parse(request?.body.toString() ?? 'null');

  it('is asked as Cohere and Jina are where it has a name, and answers the best first', async () => {
    const results = [
      { index: 1, relevance_score: 0.9, document: { text: 'b' } },
      { index: 0, relevance_score: 0.02 },
    ];
    const { scores, request } = await ask('jina-reranker-v2-base-multilingual', () => ({
      body: { model: 'm', results, usage: { total_tokens: 10 } },
    }));
    expect(scores).toEqual([0.02, 0.9]);
    expect([request?.path, request?.headers.authorization]).toEqual(['/v1/rerank', 'Bearer key']);
    const asked = { model: 'jina-reranker-v2-base-multilingual', query: 'Which?', documents: ['a', 'b'], top_n: 2 };
    expect(bodyOf(request)).toEqual(asked);
  });

  it('is asked as Text Embeddings Inference is where it has none', async () => {
    const { scores, request } = await ask(undefined, () => ({
      body: [
        { index: 0, score: 0.7 },
        { index: 1, score: 1.2 },
      ],
    }));
    expect(scores).toEqual([0.7, 1]);
    expect(bodyOf(request)).toEqual({ query: 'Which?', texts: ['a', 'b'], truncate: true });
  });

  it.each([
    [{ status: 500, headers: { 'retry-after-ms': '1' }, body: {} }, 'upstream_failed'],
    [{ status: 429, headers: { 'retry-after-ms': '1' }, body: {} }, 'unavailable'],
    [{ body: { results: [{ index: 0, relevance_score: 1 }] } }, 'upstream_failed'],
    [{ body: [{ index: 0, score: null }] }, 'upstream_failed'],
    [{ body: null as unknown }, 'unavailable'],
  ])('fails when the answer is %j', async (answer, kind) => {
    const { baseUrl, close } = await openAiDouble(() => answer);
    const reranker = apiReranker({ baseUrl, apiKey: undefined, model: 'm', relevantFrom: 0.3 }, 200);
    await expect(reranker.rerank('Which?', ['a', 'b'], options)).rejects.toMatchObject({ kind });
    await close();
  });
});

const { models, lack } = installedModel(LOCAL_RERANKER);

describeWhere(lack, 'the reranker that is installed', () => {
  const reranker = localReranker(installedReranker(models, 0.3) as LocalRerankerOptions, { warn: () => undefined });
  afterAll(() => reranker.close());

  it('tells what answers a question from what shares its words, in any number of texts', async () => {
    const texts = [
      'The sick leave form is green.',
      'Employees who are ill are paid for six weeks.',
      'The bridge is long.',
    ];
    const [shares = 0, answers = 0, other = 0] = await reranker.rerank('How long is sick leave paid?', texts, options);
    expect(answers).toBeGreaterThan(shares);
    expect(shares).toBeGreaterThan(other);
    const many = Array.from({ length: 40 }, (_, at) => `${'long '.repeat(at * 20)}text`);
    expect(await reranker.rerank('?', many, options)).toHaveLength(40);
  });
});
