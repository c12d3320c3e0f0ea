import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { languageModels } from '../../../test/language-models.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

/** What a release has written that knew no versions of engines. */
const UNKNOWN_BEFORE = ['engine_version', 'client_group_id'];

describe('a run with steps that a replica of before does not know', () => {
  let models: Awaited<ReturnType<typeof languageModels>>;
  let service: TestPipelines;
  const organisationId = newOrganisation();
  const owner = member(organisationId);
  beforeAll(async () => {
    models = await languageModels(keys);
    service = await startTestPipelines({ idle: true, environment: { CONTENT_ADDRESS: models.address } });
  });
  afterAll(async () => {
    await service.stop();
    await models.close();
  });

  async function pipelineOf(config: object, parameters: readonly { name: string; type: 'INTEGER' }[]): Promise<string> {
    const steps = [{ name: 'a', config: { jobType: 'INGEST', outputDatasets: ['made'], ...config } }] as never;
    const declared = parameters.map((one) => ({ ...one, required: false, description: '' }));
    return (await service.pipelines.createPipeline({ name: 'p', steps, parameters: declared }, owner)).id;
  }

  async function runOf(config: object, parameters: readonly { name: string; type: 'INTEGER' }[] = []): Promise<string> {
    const pipelineId = await pipelineOf(config, parameters);
    return (await service.runs.startRun({ pipelineId }, owner)).id;
  }

  /** Writes it once more under another id, as that release does. */
  const writeAsBefore = (runId: string) =>
    service.pool.tenant(organisationId, async (trx) => {
      const columns = Object.keys((await trx('runs').where({ id: runId }).first<object | undefined>()) ?? {}).filter(
        (name) => !UNKNOWN_BEFORE.includes(name) && name !== 'id',
      );
      const id = newId();
      await trx.raw(
        `INSERT INTO runs (id, ${columns.join(', ')}) SELECT ?, ${columns.join(', ')} FROM runs WHERE id = ?`,
        [id, runId],
      );
      return trx('runs').where({ id }).first<{ engine_version: number }>('engine_version');
    });

  it('is started and repeated by none', async () => {
    const known = await runOf({ query: 'SELECT 1 AS one' });
    expect(await writeAsBefore(known)).toEqual({ engine_version: 1 });
    const unknown = await runOf({ queryType: 'LLM', query: 'Once' });
    await expect(writeAsBefore(unknown)).rejects.toMatchObject({ kind: 'unavailable' });
    const withParameters = await runOf({ query: 'SELECT 1 AS one' }, [{ name: 'n', type: 'INTEGER' }]);
    await expect(writeAsBefore(withParameters)).rejects.toMatchObject({ kind: 'unavailable' });
    const when = [{ all: [{ subject: 'PARAMETER', name: 'n', operator: 'EQUALS', value: 1 }] }];
    const withCondition = await runOf({ query: 'SELECT 1 AS one', when }, [{ name: 'n', type: 'INTEGER' }]);
    await expect(writeAsBefore(withCondition)).rejects.toMatchObject({ kind: 'unavailable' });
    const parameters = [{ name: 'n', type: 'INTEGER' as const }];
    const other = await pipelineOf({ query: "SELECT getvariable('n') AS n" }, parameters);
    const forEach = { parameter: 'n', values: [1, 2], concurrency: 1 };
    const several = await runOf({ queryType: 'PIPELINE', query: other, outputDatasets: [], forEach });
    await expect(writeAsBefore(several)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('has a query with parameters still in the line of queries', async () => {
    const runId = await runOf({ query: "SELECT getvariable('n') AS n" }, [{ name: 'n', type: 'INTEGER' }]);
    const row = await service.pool.tenant(organisationId, (trx) => trx('runs').where({ id: runId }).first<object>());
    expect(row).toMatchObject({
      engine_version: 5,
      steps: [{ needsKernel: null, waitsElsewhere: false }],
      kernel_due_at: null,
    });
    await service.runs.cancelRun({ pipelineId: (row as { pipeline_id: string }).pipeline_id, runId }, owner);
    const after = await service.pool.tenant(organisationId, (trx) => trx('runs').where({ id: runId }).first<object>());
    expect(after).toMatchObject({ kernel_due_at: null });
  });

  it('has them in neither of the lines in which it looks for work', async () => {
    const runId = await runOf({ queryType: 'LLM', query: 'Once' });
    const row = await service.pool.tenant(organisationId, (trx) =>
      trx('runs').where({ id: runId }).first<{ steps: object[]; engine_version: number }>('steps', 'engine_version'),
    );
    expect(row).toMatchObject({ engine_version: 5, steps: [{ needsKernel: null, engineVersion: 2 }] });
  });

  it('has what starts several runs among those whose children are looked after, whoever writes it, and shows them none', async () => {
    const parameters = [{ name: 'n', type: 'INTEGER' as const }];
    const other = await pipelineOf({ query: "SELECT getvariable('n') AS n" }, parameters);
    const forEach = { parameter: 'n', values: [1, 2], concurrency: 1 };
    const runId = await runOf({ queryType: 'PIPELINE', query: other, outputDatasets: [], forEach });
    const row = await service.pool.tenant(organisationId, async (trx) => {
      await trx('runs').where({ id: runId }).update({ starts_runs: false });
      return trx('runs').where({ id: runId }).first<object>('steps', 'starts_runs');
    });
    expect(row).toMatchObject({
      starts_runs: true,
      steps: [{ startsRun: false, engineVersion: 5, forEach: { runs: 2, concurrency: 1 } }],
    });
  });
});
