/** Nine steps over many rows as a run of a pipeline, beside DuckDB that does the same in a process of its own. */
import { DuckDBInstance } from '@duckdb/node-api';
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chainSteps, REPORT } from './chain-steps.ts';
import type { ChainAnswer } from './direct-chain.ts';
import { storedFile, uploadSales } from './group-by.ts';
import type { PipelinesCluster } from './pipelines-cluster.ts';

export const CHAIN_ROWS = 3_000_000;

/** `tables`: DuckDB with its tables in memory; `files`: with a Parquet file of each; `run`: the platform. */
export const CHAIN_VARIANTS = ['tables', 'files', 'run'] as const;
export type ChainVariant = (typeof CHAIN_VARIANTS)[number];

/** Seconds by the name of the step, as the platform tells them. */
export interface ChainStepTimes {
  readonly name: string;
  /** Of the query, with the writing and describing of its output. */
  readonly query: number;
  /** From its begin to its end as they are recorded. */
  readonly whole: number;
}

export interface ChainRun extends ChainAnswer {
  readonly steps?: readonly ChainStepTimes[];
}

/** Uploads the rows and makes the pipeline; answers how to have it done in one of the ways. */
export async function prepareChain(cluster: PipelinesCluster): Promise<(variant: ChainVariant) => Promise<ChainRun>> {
  const { path } = await uploadSales(cluster, CHAIN_ROWS);
  const sales = await storedFile(cluster, path, 'sales');
  const own = join(cluster.directory, 'report.parquet');
  const pipelineId = await cluster.newPipeline(
    chainSteps.map(({ name, reads, query }) => ({
      name,
      config: { query, input_datasets: reads, output_datasets: [name] },
    })),
  );

  async function direct(folder?: string): Promise<ChainAnswer> {
    const args = [join(import.meta.dirname, 'direct-chain.ts'), sales, own, ...(folder ? [folder] : [])];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as ChainAnswer;
  }

  async function run(): Promise<ChainRun> {
    const [startedAt, counted] = [performance.now(), cluster.countWholeCpu()];
    const runs = `/pipelines/${pipelineId}/runs/`;
    const { id } = await cluster.answer<{ id: string }>('POST', runs, {});
    await cluster.ended(id);
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = counted.end() / 1e6;
    const { workflow_metadata: said } = await cluster.answer<RunAnswer>('GET', `${runs}${id}/`);
    const steps = said.steps.map((step) => ({ name: step.name, query: step.seconds, whole: step.duration_ms / 1000 }));
    await requireSame(own, await storedFile(cluster, `/datasets/${await reportOf(cluster)}/`, REPORT));
    return { seconds, cpu, steps };
  }

  return async (variant) => {
    if (variant === 'run') return run();
    if (variant === 'tables') return direct();
    const folder = join(cluster.directory, 'chain');
    await mkdir(folder);
    const answer = await direct(folder);
    await rm(folder, { recursive: true });
    return answer;
  };
}

async function reportOf(cluster: PipelinesCluster): Promise<string> {
  const datasets = await cluster.answer<readonly { id: string; name: string }[]>('GET', '/datasets/');
  const report = datasets.find(({ name }) => name === REPORT);
  if (!report) throw new Error('there is no report');
  return report.id;
}

/** As many rows, and each of them as often. */
async function requireSame(...files: readonly [string, string]): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const [one, other] = files.map((file) => `SELECT * FROM read_parquet('${file}')`);
  const difference = `(${one} EXCEPT ALL ${other}) UNION ALL (${other} EXCEPT ALL ${one})`;
  const [[rows] = []] = (await connection.runAndReadAll(`SELECT count(*) FROM (${difference})`)).getRowsJson();
  instance.closeSync();
  if (Number(rows) !== 0) throw new Error(`the reports differ in ${Number(rows)} rows`);
}

interface RunAnswer {
  readonly workflow_metadata: {
    readonly steps: readonly { readonly name: string; readonly seconds: number; readonly duration_ms: number }[];
  };
}
