/** Many runs of a pipeline, listed page by page through the whole API, beside the same rows through pg. */
import pg from 'pg';
import { median } from '../rounds.ts';
import type { PipelinesCluster } from './pipelines-cluster.ts';

export const RUNS = 100_000;
/** The most that the contract allows. */
const PAGE = 200;

/** Milliseconds for a page: the median of the first tenth of all pages, and of the last. */
interface PageTimes {
  readonly first: number;
  readonly last: number;
}

/** Makes so many runs as one that has ended, a second apart; answers their pipeline. */
export async function makeRuns(cluster: PipelinesCluster): Promise<string> {
  const { database } = cluster;
  const pipelineId = await cluster.newPipeline(
    ['first', 'second', 'third'].map((name) => ({
      name,
      config: { job_type: 'INGEST', query: 'SELECT 1 AS one', output_datasets: [name] },
    })),
  );
  const { id } = await cluster.answer<{ id: string }>('POST', `/pipelines/${pipelineId}/runs/`, {});
  await cluster.ended(id);
  const { fields } = await database.admin.query('SELECT * FROM runs LIMIT 0');
  const others: Readonly<Record<string, string>> = {
    id: 'gen_random_uuid()',
    created_at: 'created_at - make_interval(secs => number)',
  };
  const columns = fields.map(({ name }) => others[name] ?? name);
  await database.admin.query(
    `INSERT INTO runs SELECT ${columns.join(', ')}
     FROM (SELECT * FROM runs WHERE pipeline_id = $1 LIMIT 1) AS run, generate_series(1, $2::int) AS number`,
    [pipelineId, RUNS],
  );
  await database.admin.query('ANALYZE runs');
  return pipelineId;
}

export async function listThroughApi(cluster: PipelinesCluster, pipelineId: string): Promise<PageTimes> {
  let cursor: string | null = '';
  return timesOfPages(async () => {
    const query: string = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) }).toString();
    const response = await cluster.call('GET', `/pipelines/${pipelineId}/runs/?${query}`);
    const runs = (await response.json()) as unknown[];
    cursor = response.headers.get('x-next-cursor');
    return { rows: runs.length, isLast: cursor === null };
  });
}

export async function listThroughPg({ database }: PipelinesCluster, pipelineId: string): Promise<PageTimes> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  let after = { created_at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  try {
    return await timesOfPages(async () => {
      const { rows } = await client.query<typeof after>({
        name: 'page',
        text: `SELECT runs.*, runs.created_at::text, to_jsonb(pipeline_versions) AS version
               FROM runs JOIN pipeline_versions ON pipeline_versions.id = runs.version_id
               WHERE runs.pipeline_id = $1 AND (runs.created_at, runs.id) < ($2, $3)
               ORDER BY runs.created_at DESC, runs.id DESC LIMIT $4`,
        values: [pipelineId, after.created_at, after.id, PAGE],
      });
      after = rows.at(-1) ?? after;
      return { rows: rows.length, isLast: rows.length < PAGE };
    });
  } finally {
    await client.end();
  }
}

async function timesOfPages(
  next: () => Promise<{ readonly rows: number; readonly isLast: boolean }>,
): Promise<PageTimes> {
  const times: number[] = [];
  for (let listed = 0, isLast = false; !isLast;) {
    const startedAt = performance.now();
    const page = await next();
    times.push(performance.now() - startedAt);
    listed += page.rows;
    isLast = page.isLast;
    if (isLast && listed < RUNS) throw new Error(`only ${String(listed)} runs were listed`);
  }
  const tenth = Math.ceil(times.length / 10);
  return { first: median(times.slice(0, tenth)), last: median(times.slice(-tenth)) };
}
