import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '@platform-backend/events';
import { deliverAgain, openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const DELETED = 'platform.v1.identity.organisation.deleted';

describe('datasets that are deleted', () => {
  let events: Library;
  let running: TestPipelines;
  let client: DatasetClient;
  beforeAll(async () => {
    events = await openLibrary();
    running = await startTestPipelines({ natsUrl: events.nats.url });
    client = datasetClient(running);
  });
  afterAll(async () => {
    await running.stop();
    await events.close();
  });

  const filesOf = (organisationId: string): string[] => {
    try {
      const folder = join(running.directory, 'objects', 'datasets', organisationId);
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    } catch {
      return [];
    }
  };

  it('leave no bytes behind, neither what was uploaded nor what was read', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const { id: datasetId } = await client.upload('Sales', 'a\n1\n', by);
    await client.upload('Sales', 'a\n2\n', by, { id: datasetId });
    const { id: kept } = await client.upload('Kept', 'a\n3\n', by);
    await waitFor(() => filesOf(organisationId).length === 3, { what: 'the uploads to be removed' });
    await running.datasets.deleteDataset({ datasetId }, by);
    await expect(running.datasets.getDataset({ datasetId }, by)).rejects.toMatchObject({ kind: 'not_found' });
    await waitFor(() => filesOf(organisationId).length === 1, { what: 'the versions to be removed' });
    const { rows } = await running.datasets.previewDataset({ datasetId: kept, version: 0, limit: 1 }, by);
    expect(rows).toEqual([[3]]);
  });

  it('go with their organisation, and those of others stay', async () => {
    const [deleted, other] = [newOrganisation(), newOrganisation()];
    for (const organisationId of [deleted, other]) await client.upload('Sales', 'a\n1\n', member(organisationId));
    const data = { organisation_id: deleted };
    const event = { type: DELETED, organisationId: deleted, subject: deleted, data, time: new Date() };
    await deliverAgain(events.bus, encodeEvent(event), DELETED);
    await waitFor(() => filesOf(deleted).length === 0, { what: 'the bytes to be removed' });
    const page = { limit: 50, cursor: '', includeTotal: false, search: '' };
    expect((await running.datasets.listDatasets(page, member(deleted))).datasets).toEqual([]);
    expect((await running.datasets.listDatasets(page, member(other))).datasets).toHaveLength(1);
    expect(filesOf(other)).not.toEqual([]);
  });
});
