import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import {
  member,
  migratedDatabase,
  newOrganisation,
  refusalOf,
  startCrashTestService,
  testEnvironment,
} from '@platform-backend/service/testing';
import { runDirectory, waitFor } from '@platform-backend/testing';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { datasetClient } from '../../../test/dataset-client.ts';
import { languageModels, refusal } from '../../../test/language-models.ts';
import { clientsOf, keys, objectsIn, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { service as declaration } from '../../service.ts';

const SALES = 'region,amount,day\nnorth,10,2026-07-01\nsouth,20,2026-07-02\nwest,30,2026-07-03\n';
const ROWS = 3;

describe('LLM steps', () => {
  let events: Library;
  let models: Awaited<ReturnType<typeof languageModels>>;
  let service: TestPipelines;
  const organisationId = newOrganisation();
  const owner = member(organisationId);

  beforeAll(async () => {
    events = await openLibrary();
    models = await languageModels(keys);
    const environment = { CONTENT_ADDRESS: models.address, PIPELINES_LLM_ROWS: '4', PIPELINES_LLM_CALLS: '2' };
    service = await startTestPipelines({ natsUrl: events.nats.url, environment });
    await datasetClient(service).upload('Sales', SALES, owner);
  });
  afterAll(async () => {
    await service.stop();
    await models.close();
    await events.close();
  });
  beforeEach(() => {
    models.asked.length = 0;
    models.answers(({ prompt }) => ({ text: `Of ${prompt}` }));
  });

  const step = (config: object = {}) => ({
    name: 'ask',
    config: {
      ...{ queryType: 'LLM', query: '{{row.region}}', inputDatasets: ['sales'], outputDatasets: ['asked'] },
      ...config,
    },
  });
  const create = (...steps: object[]) => service.pipelines.createPipeline({ name: 'p', steps: steps as never }, owner);
  const isOver = (pipelineId: string, runId: string) => async () =>
    ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(
      (await service.runs.getRun({ pipelineId, runId }, owner)).status ?? '',
    );
  async function run(...steps: object[]) {
    const { id: pipelineId } = await create(...steps);
    const { id: runId } = await service.runs.startRun({ pipelineId }, owner);
    await waitFor(isOver(pipelineId, runId), { what: 'the end of a run' });
    const told = await service.runs.listRunSteps({ pipelineId, runId }, owner);
    return { pipelineId, runId, steps: told.steps, step: told.steps[0] };
  }
  const rowsOf = async (query: string) => (await service.datasets.queryDatasets({ query }, owner)).rows;
  const prompts = () => models.asked.map(({ prompt }) => prompt).sort();

  it('put an answer beside each row, whose columns stay what they are, for whoever the run is', async () => {
    const after = {
      name: 'count',
      config: {
        query: "SELECT count(*) AS n FROM asked WHERE answer LIKE 'Of%'",
        inputDatasets: ['asked'],
        outputDatasets: ['n'],
      },
    };
    const { runId, steps } = await run(
      step({ query: '{{row.region}} is {{parameters.what}}', parameters: { what: 'nice' } }),
      after,
    );
    expect(steps).toMatchObject([{ status: 'Succeeded' }, { status: 'Succeeded' }]);
    expect(await rowsOf('SELECT region, amount, day + 1 AS next, answer FROM asked ORDER BY region')).toEqual([
      ['north', 10, '2026-07-02', 'Of north is nice'],
      ['south', 20, '2026-07-03', 'Of south is nice'],
      ['west', 30, '2026-07-04', 'Of west is nice'],
    ]);
    expect(await rowsOf('SELECT n FROM n')).toEqual([[ROWS]]);
    expect(models.asked).toMatchObject(
      Array.from({ length: ROWS }, () => ({ workId: runId, memberId: owner.caller.userId, attempt: 1 })),
    );
  });

  it('make columns of an answer in JSON, whatever stands in it', async () => {
    const properties = {
      ...{ day: { type: 'string' }, count: { type: 'integer' }, share: { type: 'number' } },
      ...{ good: { type: 'boolean' }, why: { type: 'array' } },
    };
    models.answers(() => ({
      text: '{"day": "2026-07-01", "count": 3, "share": 0.5, "good": true, "why": ["\'); DROP TABLE x; --"]}',
    }));
    const llm = { jsonSchema: { type: 'object', properties } };
    const { step: told } = await run(step({ llm, query: 'Once', inputDatasets: [], jobType: 'INGEST' }));
    expect(told).toMatchObject({ status: 'Succeeded', message: '' });
    expect(await rowsOf('SELECT typeof(day), day, count + 1, share * 2, NOT good, why->>0 FROM asked')).toEqual([
      ['VARCHAR', '2026-07-01', 4, 1, false, "'); DROP TABLE x; --"],
    ]);
    expect(models.asked).toMatchObject([{ prompt: 'Once', jsonSchema: llm.jsonSchema }]);
  });

  it('refuse the row alone whose number has more than 64 bits', async () => {
    const jsonSchema = { type: 'object', properties: { count: { type: 'integer' } } };
    models.answers(({ prompt }) => ({ text: `{"count": ${prompt === 'south' ? 2n ** 70n : 2n ** 62n}}` }));
    expect((await run(step({ llm: { jsonSchema } }))).step).toMatchObject({
      ...{ status: 'Failed', errorCode: 'unusable_answer' },
      message: 'Row 2: count is no whole number of up to 64 bits',
    });
    expect((await run(step({ llm: { jsonSchema, rowErrors: 'COLUMN' } }))).step?.status).toBe('Succeeded');
    expect(await rowsOf('SELECT region, CAST(count AS VARCHAR), error FROM asked ORDER BY region')).toEqual([
      ['north', '4611686018427387904', null],
      ['south', null, 'count is no whole number of up to 64 bits'],
      ['west', '4611686018427387904', null],
    ]);
  });

  it('fail with the first row without an answer, or say in a column why it has none', async () => {
    models.answers(({ prompt }) => {
      if (prompt === 'south') throw refusal('upstream_failed', 'answer_withheld', 'Withheld');
      return prompt === 'west' ? { outcome: 'UNFIT', text: 'x', errors: ['/ is wrong'] } : { text: '2026-07-01' };
    });
    expect((await run(step())).step).toMatchObject({ status: 'Failed', errorCode: 'unusable_answer' });
    const { step: told } = await run(step({ llm: { rowErrors: 'COLUMN', errorColumn: 'why' } }));
    expect(told?.status).toBe('Succeeded');
    expect(await rowsOf('SELECT region, answer, why FROM asked ORDER BY region')).toEqual([
      ['north', '2026-07-01', null],
      ['south', null, 'Withheld'],
      ['west', null, 'The answer does not keep to its schema: / is wrong'],
    ]);
  });

  it('ask again in the next attempt only for what had no answer that could be used', async () => {
    models.answers(({ prompt, attempt }) => ({
      text: `${prompt} ${attempt}`,
      ...(prompt === 'south' && attempt === 1 && { outcome: 'CUT' as const }),
    }));
    const retryPolicy = { maximumAttempts: 2, initialIntervalSeconds: 1 };
    const { step: told } = await run(step({ retryPolicy, query: '{{row.region}}' }));
    expect(told).toMatchObject({ status: 'Succeeded', attempts: 2 });
    expect(prompts().filter((prompt) => prompt === 'south')).toHaveLength(2);
    expect(new Set(models.asked.map(({ id }) => id)).size).toBe(ROWS);
    expect(await rowsOf("SELECT answer FROM asked WHERE region = 'south'")).toEqual([['south 2']]);
  });

  it.each([
    ['payment_required', 'payment_required', 'Payment Required'],
    ['not_provided', 'no_language_model', 'No language model is set up here'],
    ['upstream_failed', 'model_key_refused', 'The key is refused'],
  ] as const)('fail as a whole, also where errors have a column, with %s', async (kind, code, message) => {
    models.answers(() => {
      throw refusal(kind, code, message);
    });
    expect((await run(step({ llm: { rowErrors: 'COLUMN' } }))).step).toMatchObject({
      status: 'Failed',
      errorCode: code,
    });
  });

  it('read no more rows than they may, of columns that there are, and none of an empty table', async () => {
    const many = {
      name: 'many',
      config: { query: 'SELECT 1 AS a FROM range(5)', jobType: 'INGEST', outputDatasets: ['many'] },
    };
    const { steps } = await run(many, step({ inputDatasets: ['many'], query: '{{row.a}}' }));
    expect(steps[1]).toMatchObject({ status: 'Failed', errorCode: 'too_many_input_rows' });
    const none = {
      name: 'none',
      config: { query: "SELECT 'x' AS a WHERE false", jobType: 'INGEST', outputDatasets: ['none'] },
    };
    const empty = await run(none, step({ inputDatasets: ['none'], query: '{{row.a}}' }));
    expect(empty.steps[1]).toMatchObject({ status: 'Succeeded', message: '' });
    expect(await rowsOf('SELECT upper(answer), a FROM asked')).toEqual([]);
    expect(models.asked).toEqual([]);
  });

  it('end when their run is cancelled, with whatever is being asked', async () => {
    const ended = Promise.withResolvers<undefined>();
    models.answers(
      (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            ended.resolve(undefined);
            reject(signal.reason as Error);
          }),
        ),
    );
    const { id: pipelineId } = await create(step());
    const { id: runId } = await service.runs.startRun({ pipelineId }, owner);
    await waitFor(() => models.asked.length === 2, { what: 'as many questions as may be asked at once' });
    await service.runs.cancelRun({ pipelineId, runId }, owner);
    await ended.promise;
    await waitFor(isOver(pipelineId, runId), { what: 'the end of the run' });
    expect((await service.runs.getRun({ pipelineId, runId }, owner)).status).toBe('Cancelled');
  });

  it('are refused where they contradict themselves, and only omitted in a dry run', async () => {
    const refused = async (config: object) => {
      const { violations } = (await refusalOf(create(step(config)))) as unknown as {
        readonly violations: readonly { readonly loc: readonly unknown[] }[];
      };
      return violations.map(({ loc }) => loc.slice(3).join('.'));
    };
    expect(await refused({ llm: { model: 'unknown' } })).toEqual(['config.llm.model']);
    expect(await refused({ query: '{{row.nothing}}' })).toEqual(['config.query']);
    expect(await refused({ llm: { outputColumn: 'Region' } })).toEqual(['config.llm']);
    expect(await refused({ query: '{{parameters.tone}}' })).toEqual(['config.query']);
    const { steps } = await service.pipelines.trySteps({ steps: [step()] as never, sampleRows: 10 }, owner);
    expect(steps).toMatchObject([{ status: 'Omitted', message: 'A dry run asks no language model' }]);
    expect(models.asked).toEqual([]);
  });

  it('fail when nobody can be reached, are not published then, and go on when somebody can', async () => {
    const { id: pipelineId } = await create(step());
    models.leave();
    try {
      const { id: runId } = await service.runs.startRun({ pipelineId }, owner);
      expect(await refusalOf(create(step()))).toMatchObject({ kind: 'unavailable' });
      await waitFor(isOver(pipelineId, runId), { what: 'the end of the run' });
      const { steps } = await service.runs.listRunSteps({ pipelineId, runId }, owner);
      expect(steps).toMatchObject([{ status: 'Failed', errorCode: 'model_unavailable' }]);
    } finally {
      models.comeBack();
    }
    expect((await run(step())).step?.status).toBe('Succeeded');
  }, 120_000);

  it('ask nothing again that was answered when their worker is killed, and make their data once', async () => {
    const held = Promise.withResolvers<undefined>();
    models.answers(async ({ prompt }) => {
      if (prompt === 'west') await held.promise;
      return { text: `Of ${prompt}` };
    });
    const others = await openLibrary();
    const postgres = await migratedDatabase(declaration);
    const env = {
      ...testEnvironment(declaration, postgres, keys),
      ...objectsIn(mkdtempSync(join(runDirectory(), 'objects-'))),
      ...{ NATS_URL: others.nats.url, CONTENT_ADDRESS: models.address, PIPELINES_MICROS_PER_STEP_SECOND: '0' },
    };
    const alone = await startCrashTestService({
      ...{ name: 'pipelines', contract: pipelinesContract, env, keys, maxAnswers: Infinity },
    });
    try {
      const { pipelines, runs, ...datasets } = clientsOf(alone.calling);
      await datasetClient(datasets).upload('Sales', SALES, owner);
      const { id: pipelineId } = await pipelines.createPipeline({ name: 'p', steps: [step()] as never }, owner);
      const { id: runId } = await runs.startRun({ pipelineId }, owner);
      await waitFor(() => models.asked.length === ROWS, { what: 'all questions' });
      await alone.kill();
      held.resolve(undefined);
      const status = async () => (await runs.getRun({ pipelineId, runId }, owner)).status;
      await waitFor(async () => (await status()) === 'Succeeded', { what: 'the end of the run' });
      // The last one was being asked when its worker was killed.
      expect(prompts().filter((prompt) => prompt !== 'west')).toEqual(['north', 'south']);
      const query = 'SELECT region, answer FROM asked ORDER BY region';
      expect((await datasets.datasets.queryDatasets({ query }, owner)).rows).toEqual(
        ['north', 'south', 'west'].map((region) => [region, `Of ${region}`]),
      );
    } finally {
      held.resolve(undefined);
      await alone.stop();
      await postgres.drop();
      await others.close();
    }
  }, 240_000);
});
