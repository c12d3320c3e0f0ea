import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { GenerateTextRequestInput, GenerationServiceClient } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { newOrganisation, refusalOf, refusalsOf, service } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { chatOf, says, saysAndWaits } from '../../../test/chat-script.ts';
import { startCrashTestContent } from '../../../test/crash-test-content.ts';
import { openAiDouble, type ApiAnswer, type ApiRequest, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';
import { pricedWork } from '../../credits/store/priced-work.ts';
import { generationsStore } from '../store/generations-store.ts';

/** What `says` tells of its tokens, by the usual price. */
const MICROS = 220;

describe('a text that another service asks a language model for', () => {
  let ledger: CreditLedger;
  let model: OpenAiDouble;
  let answer: (request: ApiRequest) => ApiAnswer;
  let content: TestContent;
  let generations: GenerationServiceClient<CallOptions>;
  let organisationId: string;
  let by: CallOptions;
  let workId: string;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    model = await openAiDouble((request) => answer(request));
    content = await startTestContent({
      environment: {
        BILLING_ADDRESS: ledger.address,
        LLM_BASE_URL: model.baseUrl,
        LLM_MODEL: 'm',
        CONTENT_DOCUMENT_WORKERS: '0',
        CONTENT_GENERATIONS_PER_ORGANISATION: '2',
      },
    });
    generations = content.calledBy('pipelines').to<GenerationServiceClient<CallOptions>>('GenerationService');
  });
  afterAll(async () => {
    await content.stop();
    await model.close();
    await ledger.close();
  });
  beforeEach(() => {
    organisationId = newOrganisation();
    by = service('pipelines', organisationId);
    workId = newId();
    answer = () => says('North', '.');
  });

  const asked = () => model.requests.length;
  const request = (more: Partial<GenerateTextRequestInput> = {}) => ({
    id: newId(),
    workId,
    prompt: 'Where?',
    ...more,
  });
  const owed = async () => (await debitsOf(content, organisationId)).map(({ amount_micros: micros }) => Number(micros));
  async function priced() {
    const database = content.frame?.storage.database;
    return database && pricedWork(database, organisationId, new Date(0), { TRANSCRIPTION_MICROS_PER_SECOND: 0 });
  }

  it('is asked for and paid once, however often, and whoever asks at the same time', async () => {
    const before = asked();
    const [wanted, payer] = [request(), { memberId: newId(), apiKeyId: newId(), clientGroupId: newId() }];
    const first = await generations.generateText({ ...wanted, ...payer }, by);
    expect(first).toMatchObject({ outcome: 'ANSWERED', text: 'North.', model: 'm', costMicros: String(MICROS) });
    for (const attempt of [1, 2]) expect(await generations.generateText({ ...wanted, attempt }, by)).toEqual(first);
    expect(asked()).toBe(before + 1);
    expect(await debitsOf(content, organisationId)).toMatchObject([
      {
        ...{ amount_micros: String(MICROS), purpose: 'pipeline_step', work_id: workId, credit_class: 'AI' },
        ...{ member_id: payer.memberId, api_key_id: payer.apiKeyId, client_group_id: payer.clientGroupId },
      },
    ]);
    const together = request();
    const both = await Promise.all([1, 2].map(() => generations.generateText(together, by)));
    expect(both[0]).toEqual(both[1]);
    expect(await owed()).toEqual([MICROS, MICROS]);
    const held = ledger.reservedBy(organisationId, 'pipeline_step').map(({ reservationId }) => reservationId);
    // What was set aside for an answer that came second is given back.
    await waitFor(() => held.filter((id) => ledger.released.has(id)).length === held.length - 2, { what: 'a release' });
    expect(await priced()).toMatchObject([{ purpose: 'pipeline_step', workId, debits: 2, micros: BigInt(2 * MICROS) }]);
  });

  it('is held against its schema, and asked for again where it was of no use, by the next attempt alone', async () => {
    const jsonSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const wanted = request({ jsonSchema });
    answer = () => says('{"count": "many"}');
    const unfit = await generations.generateText(wanted, by);
    expect(unfit).toMatchObject({ outcome: 'UNFIT', errors: ['/count must be integer'] });
    answer = () => says('{"count": 3}');
    expect(await generations.generateText(wanted, by)).toEqual(unfit);
    expect(await generations.generateText({ ...wanted, attempt: 2 }, by)).toMatchObject({ outcome: 'ANSWERED' });
    expect(await owed()).toEqual([MICROS, MICROS]);
    // Of what is kept as well, where the second answer has the place of the first.
    expect(await priced()).toMatchObject([{ workId, debits: 2, micros: BigInt(2 * MICROS) }]);
    expect(chatOf(model.requests.at(-1) as ApiRequest).messages[0]?.content).toMatch('It keeps to this JSON schema');
  });

  it('costs nothing where there is none, and is refused with the reason', async () => {
    answer = () => ({ status: 401, body: { error: { message: 'no' } } });
    expect(await refusalOf(generations.generateText(request(), by))).toMatchObject({ code: 'model_key_refused' });
    answer = () => ({ body: null });
    const late = generations.generateText(request({ timeLimitSeconds: 1 }), by);
    expect(await refusalOf(late)).toMatchObject({ kind: 'deadline_exceeded' });
    const before = asked();
    expect(await refusalOf(generations.generateText(request({ model: 'another' }), by))).toMatchObject({
      kind: 'invalid',
    });
    ledger.useUp(organisationId);
    expect(await refusalOf(generations.generateText(request(), by))).toMatchObject({ kind: 'payment_required' });
    expect(asked()).toBe(before);
    expect(await owed()).toEqual([]);
    const reserved = ledger.reservedBy(organisationId).map(({ reservationId }) => reservationId);
    await waitFor(() => reserved.every((id) => ledger.released.has(id)), { what: 'the releases' });
    const problems = await generations.checkGenerations(
      { generations: [{ model: 'm' }, { model: 'another', jsonSchema: { type: 'nothing' } }] },
      by,
    );
    expect(problems.problems.map(({ index, field }) => [index, field])).toEqual([
      [1, 'model'],
      [1, 'json_schema'],
    ]);
  });

  it('ends with whoever asked, and is not owed then', async () => {
    const leaving = new AbortController();
    answer = () => {
      leaving.abort();
      return { body: null };
    };
    const wanted = request();
    await refusalOf(generations.generateText(wanted, { ...by, signal: leaving.signal }));
    answer = () => says('North', '.');
    expect(await generations.generateText(wanted, by)).toMatchObject({ text: 'North.' });
    expect(await owed()).toEqual([MICROS]);
  });

  it('is as many at once as the organisation may have, while another one has its own', async () => {
    const never = Promise.withResolvers<undefined>();
    answer = (one) => (one.body.toString().includes('slow') ? saysAndWaits('Slow', never.promise) : says('Quick'));
    const before = asked();
    const slow = Array.from({ length: 3 }, (_, at) => generations.generateText(request({ prompt: `slow ${at}` }), by));
    const ends = Promise.allSettled(slow);
    await waitFor(() => asked() === before + 2, { what: 'two questions' });
    const other = service('pipelines', newOrganisation());
    expect(await generations.generateText(request(), other)).toMatchObject({ text: 'Quick' });
    // One of them has waited for as long as anybody does.
    expect(await refusalOf(Promise.all(slow))).toMatchObject({ kind: 'unavailable', code: 'busy' });
    never.resolve(undefined);
    expect((await ends).map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('is forgotten when no run can ask for it any more, and what it has cost stays', async () => {
    const database = content.frame?.storage.database;
    if (!database) throw new Error('it was started elsewhere');
    const store = generationsStore(database);
    const wanted = request();
    await generations.generateText(wanted, by);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    // A run has seven days at most.
    expect(await store.forgetTexts(inDays(7))).toBe(0);
    expect(await store.forgetTexts(inDays(9))).toBeGreaterThan(0);
    const kept = await store.find(organisationId, wanted.id);
    expect(kept).toMatchObject({ costMicros: MICROS, workId });
    expect(kept?.text).toBeUndefined();
  });

  it('is told to no other organisation that knows its id', async () => {
    const wanted = request();
    await generations.generateText(wanted, by);
    const before = asked();
    await refusalOf(generations.generateText(wanted, service('pipelines', newOrganisation())));
    // Its own was asked for, and could not be kept under an id that is taken.
    expect(asked()).toBe(before + 1);
    expect((await generations.generateText(wanted, by)).text).toBe('North.');
  });

  it('is answered and owed once for each id, while content is killed at random', async () => {
    const TEXTS = repetitions({ usual: 12, long: 300 });
    const maxKills = repetitions({ usual: 1, long: Infinity });
    answer = (one) => says(`About: ${String(chatOf(one).messages.at(-1)?.content)}`);
    const limits = { maxAnswers: TEXTS / 4, maxKills, as: 'pipelines' };
    const crashing = await startCrashTestContent(content.env, limits);
    try {
      const client = crashing.calling.to<GenerationServiceClient<CallOptions>>('GenerationService');
      const wanted = Array.from({ length: TEXTS }, (_, at) => request({ prompt: `Question ${at}` }));
      const rest = wanted.values();
      const ask = async () => {
        for (const one of rest)
          for (let again = 0; again < 2; again += 1) {
            const told = await crashing.untilAnswered(() => client.generateText(one, by), ['unavailable']);
            expect(told).toMatchObject({ outcome: 'ANSWERED', text: `About: ${one.prompt}` });
          }
      };
      await Promise.all([ask(), ask()]);
      expect(await crashing.spare()).toBeGreaterThanOrEqual(Math.min(maxKills, 2));
      await waitFor(async () => (await owed()).length >= TEXTS, { what: 'the debits' });
      expect(await owed()).toEqual(wanted.map(() => MICROS));
    } finally {
      await crashing.stop();
    }
  }, 600_000);
});

it('content without a language model says so', async () => {
  const content = await startTestContent({ idle: true });
  try {
    const client = content.calledBy('pipelines').to<GenerationServiceClient<CallOptions>>('GenerationService');
    const by = service('pipelines', newOrganisation());
    for (const refusal of await refusalsOf([
      client.generateText({ id: newId(), workId: newId(), prompt: 'Where?' }, by),
      client.checkGenerations({ generations: [{ model: '' }] }, by),
    ]))
      expect(refusal).toMatchObject({ kind: 'not_provided', code: 'no_language_model' });
  } finally {
    await content.stop();
  }
});
