import { randomUUID } from 'node:crypto';
import type { Conversation } from './conversation.ts';

type Identified = { id: string };
type Headers = Record<string, string>;
type Pipeline = Identified & { name: string };
type Run = Identified & { status: string };
type RunStep = { outputs: { dataset_id: string }[] };

const ORDERS = [
  'order_id,region,amount',
  '1001,north,120.50',
  '1002,south,80.00',
  '1003,north,42.25',
  '1004,west,',
  '1005,south,19.90',
].join('\n');

const STEPS = [
  {
    name: 'clean',
    config: {
      query: 'SELECT order_id, region, amount FROM orders WHERE amount IS NOT NULL',
      input_datasets: ['orders'],
      output_datasets: ['clean orders'],
    },
  },
  {
    name: 'amounts are positive',
    config: {
      job_type: 'CHECK',
      query: 'SELECT * FROM "clean orders" WHERE amount <= 0',
      input_datasets: ['clean orders'],
    },
  },
  {
    name: 'revenue',
    config: {
      query:
        'SELECT region, sum(amount) AS revenue, count(*) AS orders FROM "clean orders" GROUP BY region ORDER BY region',
      input_datasets: ['clean orders'],
      output_datasets: ['revenue by region'],
    },
  },
];

/** The first step also starts the programs that carry steps out. */
const LIMIT_MS = 120_000;

/** From a CSV to figures of which everybody can see where they come from. Answers the pipeline that makes them. */
export const walkPipelines = async ({ chapter, send, until }: Conversation, headers: Headers): Promise<Pipeline> => {
  chapter('A dataset: a CSV goes to the URL that the platform signs for it, and is read and profiled');
  const upload = await send<{ signed_url: string; dataset_id: string }>({
    method: 'POST',
    path: '/datasets/upload/',
    headers,
    body: { id: randomUUID(), name: 'orders', format: 'CSV' },
    expect: 200,
  });
  await send({
    method: 'PUT',
    path: upload.signed_url,
    file: { bytes: Buffer.from(ORDERS), type: 'text/csv' },
    expect: 200,
  });
  await until<{ upload: { status: string } | null }>(
    { method: 'GET', path: `/datasets/${upload.dataset_id}/`, headers, expect: 200 },
    ({ upload: last }) => last?.status === 'READY' || last?.status === 'FAILED',
    LIMIT_MS,
  );

  chapter('A pipeline of three steps, of which one is a check; first on a few rows, without keeping anything');
  await send({
    method: 'POST',
    path: '/pipelines/dry-run/',
    headers,
    body: { steps: STEPS, sample_rows: 3 },
    expect: 200,
  });
  const pipeline = await send<Pipeline>({
    method: 'POST',
    path: '/pipelines/',
    headers,
    body: { name: 'Revenue', steps: STEPS },
    expect: 200,
  });

  chapter('A run of it');
  const runs = `/pipelines/${pipeline.id}/runs/`;
  const { id: runId } = await send<Run>({ method: 'POST', path: runs, headers, body: {}, expect: 200 });
  await until<Run>(
    { method: 'GET', path: `${runs}${runId}/`, headers, expect: 200 },
    ({ status }) => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status),
    LIMIT_MS,
  );

  chapter('What came out, what its columns mean, and what it was made of');
  const steps = await send<RunStep[]>({ method: 'GET', path: `${runs}${runId}/steps/`, headers, expect: 200 });
  const result = steps.flatMap(({ outputs }) => outputs).at(-1)?.dataset_id ?? '';
  await send({
    method: 'POST',
    path: '/datasets/query/',
    headers,
    body: { query: 'SELECT * FROM "revenue by region" ORDER BY revenue DESC' },
    expect: 200,
  });
  await send({ method: 'GET', path: `/data-dictionary/${result}/`, headers, expect: 200 });
  await send({ method: 'GET', path: `/datasets/${result}/lineage/`, headers, expect: 200 });
  await send({ method: 'GET', path: `${runs}${runId}/logs/`, headers, expect: 200 });
  return pipeline;
};
