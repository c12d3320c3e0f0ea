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

  it('is not made upon a version that is not the current one any more, and is there once when that is tried again', async () => {
    const organisationId = newOrganisation();
    const output = (more: Partial<RunOutput>): RunOutput => ({
      ...{ dataset: 'Log', runId: newId(), step: 'append', inputVersionIds: [], versionId: newId() },
      ...{ objectKey: `datasets/${organisationId}/versions/${newId()}`, checksum: 'c0ffee', rows: 1, bytes: 100 },
      ...{ columns: [{ name: 'n', type: 'BIGINT' }], statistics: [], baseVersionId: null, ...more },
    });
    const record = (one: RunOutput) =>
      running.pool.tenant(organisationId, (trx) =>
        recordRunOutputs(trx, serviceActorContext('pipelines', organisationId, newId()), [one], new Date()),
      );
    const first = output({});
    expect(await record(first)).toMatchObject([{ datasetVersionId: first.versionId }]);
    // Both begin upon the first one.
    const [second, third] = [1, 2].map(() => output({ baseVersionId: first.versionId })) as [RunOutput, RunOutput];
    const both = await Promise.all([record(second), record(third)]);
    expect(both.filter((recorded) => recorded === 'outdated')).toHaveLength(1);
    const [late, present] = both[0] === 'outdated' ? [second, third] : [third, second];
    expect(await record({ ...late, baseVersionId: present.versionId })).toHaveLength(1);
    // Whoever did not hear that it was recorded says so again.
    expect(await record(present)).toHaveLength(1);
    expect(await record(output({ baseVersionId: null }))).toBe('outdated');
    const page = { limit: 50, cursor: '', includeTotal: true, search: '', order: 'asc' as const };
    const { datasets } = await running.datasets.listDatasets(page, member(organisationId));
    expect(datasets.map(({ currentVersion }) => currentVersion?.number)).toEqual([3]);
  });

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
