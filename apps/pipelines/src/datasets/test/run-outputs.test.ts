import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import type { RunOutput } from '../domain/datasets.ts';
import { recordRunOutputs } from '../store/run-outputs.ts';

describe('what steps of runs have made', () => {
  let running: TestPipelines;
  beforeAll(async () => (running = await startTestPipelines()));
  afterAll(() => running.stop());

  it('becomes versions once, of datasets that are made with them, and says what it was made from', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const { currentVersion } = await datasetClient(running).upload('Sales', 'a\n1\n', by);
    const output = (more: Partial<RunOutput>): RunOutput => ({
      dataset: 'Totals',
      runId: newId(),
      step: 'sum up',
      inputVersionIds: [currentVersion?.id ?? ''],
      versionId: newId(),
      objectKey: `datasets/${organisationId}/versions/${newId()}`,
      checksum: 'c0ffee',
      rows: 1,
      bytes: 100,
      columns: [{ name: 'total', type: 'BIGINT' }],
      statistics: [{ name: 'total', nulls: 0, distinct: 1, min: '1', max: '1' }],
      ...more,
    });
    const record = (...outputs: RunOutput[]) =>
      running.pool.tenant(organisationId, (trx) =>
        recordRunOutputs(trx, serviceActorContext('pipelines', organisationId, newId()), outputs, new Date()),
      );
    const first = output({});
    await record(first);
    await record({ ...first, versionId: newId() });
    await Promise.all([
      record(output({ dataset: 'totals' })),
      record(output({ dataset: 'New' })),
      record(output({ dataset: 'new' })),
    ]);
    await record(output({ dataset: newId() }));
    const page = { limit: 50, cursor: '', includeTotal: true, search: '', order: 'asc' as const };
    const { datasets } = await running.datasets.listDatasets(page, by);
    expect(datasets.map(({ name, currentVersion: version }) => [name.toLowerCase(), version?.number])).toEqual([
      ['sales', 1],
      ['totals', 2],
      ['new', 2],
    ]);
    const datasetId = datasets[1]?.id ?? '';
    const { versions } = await running.datasets.getDatasetLineage({ datasetId, version: 1 }, by);
    expect(versions).toMatchObject([
      { datasetName: 'Totals', versionId: first.versionId, source: { run: { runId: first.runId, step: 'sum up' } } },
      { datasetName: 'Sales', number: 1, inputVersionIds: [] },
    ]);
  });
});
