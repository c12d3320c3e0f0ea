import { DomainError } from '@platform-backend/core';
import { openLibrary } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines } from '../../../test/test-pipelines.ts';

export const CSV = 'id,region,amount\n1,north,10\n2,south,20\n3,north,5\n4,west,\n';

export const clean = {
  name: 'clean',
  config: {
    query: 'SELECT id, region, amount FROM sales WHERE amount IS NOT NULL',
    inputDatasets: ['sales'],
    outputDatasets: ['clean sales'],
  },
};
export const sound = {
  name: 'sound',
  config: {
    query: 'SELECT * FROM "clean sales" WHERE amount < 0',
    inputDatasets: ['clean sales'],
    jobType: 'CHECK' as const,
  },
};
export const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount)::INTEGER AS total FROM "clean sales" GROUP BY region ORDER BY region',
    inputDatasets: ['clean sales'],
    outputDatasets: ['Totals'],
  },
};

export const endless = {
  name: 'endless',
  config: {
    query: 'SELECT count(*) AS n FROM range(100000000) a, range(100000000) b',
    outputDatasets: ['never'],
    jobType: 'INGEST' as const,
  },
};

export const isOver = (status: string | null) => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status ?? '');

/** The service with the dataset `sales` of an owner. */
export async function startSalesPipelines() {
  const events = await openLibrary();
  const running = await startTestPipelines({ areQueriesExplained: true, natsUrl: events.nats.url });
  const owner = member(newOrganisation());
  const datasets = datasetClient(running);
  await datasets.upload('sales', CSV, owner);
  async function settled(pipelineId: string, runId: string, as = owner) {
    const look = () => running.runs.getRun({ pipelineId, runId }, as);
    await waitFor(async () => isOver((await look()).status), { what: 'the end of a run' });
    return look();
  }
  return {
    ...{ events, running, owner, datasets, settled },
    stop: async () => {
      await running.stop();
      await events.close();
    },
  };
}

/** What is wrong with steps, each with its field, or `carried out`. */
export const violationsOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'carried out',
    (error: unknown) =>
      error instanceof DomainError ? error.violations?.map(({ loc, msg }) => [loc.slice(2).join('.'), msg]) : error,
  );
