/** A query over many rows through the whole API, beside DuckDB called directly on the same file. */
import { DuckDBInstance } from '@duckdb/node-api';
import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DirectAnswer } from './direct-query.ts';
import type { PipelinesCluster } from './pipelines-cluster.ts';

export const ROWS = 5_000_000;

const QUERY = `SELECT region, date_trunc('month', sold_on) AS month, count(*) AS sales, sum(amount) AS revenue,
  max(amount) AS largest FROM sales GROUP BY ALL ORDER BY ALL`;

/** Of 20 regions, over three years. */
const salesOf = (
  rows: number,
): string => `SELECT range AS id, 'region ' || (hash(range) % 20) AS region, hash(range, 1) % 100000 AS customer,
  (hash(range, 2) % 1000000 / 100)::DECIMAL(12, 2) AS amount, DATE '2023-01-01' + (hash(range, 3) % 1096)::INTEGER AS sold_on
  FROM range(${rows})`;

/** Seconds. */
export interface QueryTimes {
  /** The query itself, as DuckDB in a new process of one's own takes for it. */
  readonly direct: number;
  /** The query itself, as the platform says that it took. */
  readonly query: number;
  /** The whole request, from the client's side. */
  readonly request: number;
  /** The same query as the step of a pipeline, whose result is written, described and kept. */
  readonly step: number;
}

/** Uploads so many rows as the dataset `sales`; answers its path and the seconds until they can be read. */
export async function uploadSales(cluster: PipelinesCluster, rows: number) {
  const file = join(cluster.directory, 'sales.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${salesOf(rows)}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
  instance.closeSync();

  const startedAt = performance.now();
  const wanted = { id: newId(), name: 'sales', format: 'PARQUET' };
  const upload = await cluster.answer<{ signed_url: string; dataset_id: string }>('POST', '/datasets/upload/', wanted);
  const body = await openAsBlob(file, { type: 'application/vnd.apache.parquet' });
  const put = await fetch(upload.signed_url, { method: 'PUT', headers: { 'content-type': body.type }, body });
  if (!put.ok) throw new Error(`the upload was answered ${put.status}: ${await put.text()}`);
  const path = `/datasets/${upload.dataset_id}/`;
  const isRead = async () => {
    const { upload: reading } = await cluster.answer<{ upload: { status: string } | null }>('GET', path);
    return reading?.status === 'READY';
  };
  await waitFor(isRead, { what: 'the reading of the file', interval: 50, timeout: 120_000 });
  return { path, uploadSeconds: (performance.now() - startedAt) / 1000 };
}

/** The very bytes of a dataset that the platform reads, in a file of the benchmark. */
export async function storedFile(cluster: PipelinesCluster, path: string, name: string): Promise<string> {
  const { signed_url: url } = await cluster.answer<{ signed_url: string }>('GET', `${path}download/`);
  const stored = join(cluster.directory, `${name}-stored.parquet`);
  await writeFile(stored, Buffer.from(await (await fetch(url)).arrayBuffer()));
  return stored;
}

/** Uploads the rows; answers how long that took with the reading of them, and how to ask. */
export async function prepareGroupBy(cluster: PipelinesCluster) {
  const { path, uploadSeconds } = await uploadSales(cluster, ROWS);

  const stored = await storedFile(cluster, path, 'stored');
  const pipelineId = await cluster.newPipeline([
    { name: 'sums', config: { query: QUERY, input_datasets: ['sales'], output_datasets: ['sums'] } },
  ]);
  return { uploadSeconds, ask: () => ask(cluster, stored, pipelineId) };
}

async function ask(cluster: PipelinesCluster, stored: string, pipelineId: string): Promise<QueryTimes> {
  const program = join(import.meta.dirname, 'direct-query.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, stored, QUERY]);
  const direct = JSON.parse(stdout) as DirectAnswer;
  const startedAt = performance.now();
  const asked = await cluster.answer<{ rows: unknown[]; seconds: number }>('POST', '/datasets/query/', {
    query: QUERY,
    limit: 1000,
  });
  const request = (performance.now() - startedAt) / 1000;
  if (asked.rows.length !== direct.rows) throw new Error('the answers differ');
  const step = await stepSeconds(cluster, pipelineId);
  return { direct: direct.seconds, query: asked.seconds, request, step };
}

async function stepSeconds(cluster: PipelinesCluster, pipelineId: string): Promise<number> {
  const path = `/pipelines/${pipelineId}/runs/`;
  const { id } = await cluster.answer<{ id: string }>('POST', path, {});
  await cluster.ended(id);
  const { workflow_metadata: said } = await cluster.answer<RunAnswer>('GET', `${path}${id}/`);
  return said.steps[0]?.seconds ?? NaN;
}

interface RunAnswer {
  readonly workflow_metadata: { readonly steps: readonly { readonly seconds: number }[] };
}
