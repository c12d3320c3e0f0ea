import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { openObjects, type Objects } from '@platform-backend/objects';
import { noS3, throwawayS3, type ThrowawayS3 } from '@platform-backend/objects/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

describeWhere(noS3, 'datasets in S3', () => {
  let s3: ThrowawayS3;
  let events: Library;
  let running: TestPipelines;
  let client: DatasetClient;
  let objects: Objects;
  beforeAll(async () => {
    [s3, events] = [await throwawayS3(), await openLibrary()];
    running = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: {
        S3_BUCKET: s3.bucket,
        S3_ENDPOINT: s3.endpoint,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      },
    });
    client = datasetClient(running);
    objects = await openObjects(running.frame.settings, systemClock, 'pipelines');
  });
  afterAll(async () => {
    objects.store.close();
    await running.stop();
    await events.close();
    await s3.stop();
  });

  const by = member(newOrganisation());
  const put = async (url: string, body: string, type = 'text/csv') =>
    (await fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body })).status;
  const keyIn = (url: string) => decodeURIComponent(new URL(url).pathname).replace(`/${s3.bucket}/`, '');

  it('are uploaded there, read by steps, made by them, and downloaded', async () => {
    const { datasetId, signedUrl } = await client.request('orders', by);
    expect(await put(signedUrl, 'n\n1\n', 'text/html')).toBe(403);
    expect(await refusalOf(running.datasets.completeDatasetUpload({ datasetId }, by))).toMatchObject({
      code: 'nothing_uploaded',
    });
    expect(await put(signedUrl, 'n\n1\n2\n')).toBe(200);
    await running.datasets.completeDatasetUpload({ datasetId }, by);
    expect((await client.settled(datasetId, by)).upload?.status).toBe('READY');
    await waitFor(async () => !(await objects.store.head(keyIn(signedUrl))), { what: 'the removal of the upload' });

    const config = { query: 'SELECT sum(n)::INTEGER AS total FROM orders', inputDatasets: ['orders'] };
    const steps = [{ name: 'sum', config: { ...config, outputDatasets: ['sums'] } }];
    const { id: pipelineId } = await running.pipelines.createPipeline({ name: 'sums', steps }, by);
    const { id: runId } = await running.runs.startRun({ pipelineId }, by);
    const run = () => running.runs.getRun({ pipelineId, runId }, by);
    await waitFor(async () => (await run()).finishedAt !== null, { what: 'the end of a run' });
    expect(await run()).toMatchObject({ status: 'Succeeded', message: '' });
    const { rows } = await running.datasets.queryDatasets({ query: 'SELECT * FROM sums' }, by);
    expect(rows).toEqual([[3]]);
    const { datasets } = await running.datasets.listDatasets({ search: 'sums' }, by);
    const made = { datasetId: datasets[0]?.id ?? '' };
    const { signedUrl: download } = await running.datasets.downloadDataset(made, by);
    expect((await (await fetch(download)).text()).slice(0, 4)).toBe('PAR1');

    await running.datasets.deleteDataset(made, by);
    await waitFor(async () => !(await objects.store.head(keyIn(download))), { what: 'the removal of what was made' });
  });

  it('are read once they are uploaded, without being told of', async () => {
    const { datasetId, signedUrl } = await client.request('found', by);
    expect(await put(signedUrl, 'n\n1\n')).toBe(200);
    expect((await client.settled(datasetId, by)).upload?.status).toBe('READY');
  });
});
