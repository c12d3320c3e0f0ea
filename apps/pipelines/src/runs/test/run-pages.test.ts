import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import pg from 'pg';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const RUNS = 3000;

/** What the database reads of a table, as it says after it has done so. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

describe('many runs of a pipeline', () => {
  let events: Library;
  let running: TestPipelines;
  let admin: pg.Client;
  let app: pg.Client;
  let pipelineId: string;
  const organisationId = newOrganisation();
  const owner = member(organisationId);

  beforeAll(async () => {
    events = await openLibrary();
    running = await startTestPipelines({
      natsUrl: events.nats.url,
    });
    admin = new pg.Client({ connectionString: running.database.adminUrl });
    // Plans are made with the walls between organisations.
    app = new pg.Client({ connectionString: running.database.appUrl });
    await Promise.all([admin.connect(), app.connect()]);
    await app.query(`SELECT set_config('app.organisation_id', $1, false)`, [organisationId]);
    const config = { query: 'SELECT 1 AS one', outputDatasets: ['ones'], jobType: 'INGEST' as const };
    ({ id: pipelineId } = await running.pipelines.createPipeline(
      { name: 'ones', steps: [{ name: 'one', config }] },
      owner,
    ));
    const { id: runId } = await running.runs.startRun({ pipelineId }, owner);
    const isOver = async () => (await running.runs.getRun({ pipelineId, runId }, owner)).finishedAt !== null;
    await waitFor(isOver, { what: 'the end of a run' });
    await copyRun();
  });
  afterAll(async () => {
    await Promise.all([admin.end(), app.end()]);
    await running.stop();
    await events.close();
  });

  /** So many more of it, a second apart; the statistics know of the runs, and not yet of their only version. */
  async function copyRun(): Promise<void> {
    const { fields } = await admin.query('SELECT * FROM runs LIMIT 0');
    const others: Readonly<Record<string, string>> = {
      id: 'gen_random_uuid()',
      created_at: 'created_at - make_interval(secs => number)',
    };
    const columns = fields.map(({ name }) => others[name] ?? name);
    await admin.query(
      `INSERT INTO runs SELECT ${columns.join(', ')} FROM runs, generate_series(1, $1::int) AS number`,
      [RUNS],
    );
    await admin.query('ANALYZE runs');
  }

  /** How many rows of runs are read for the statement that a call has sent. */
  async function runsReadFor({ sql, bindings }: { sql: string; bindings: unknown[] }): Promise<number> {
    const { rows } = await app.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
      bindings,
    );
    const readIn = (node: PlanNode): number =>
      (node['Relation Name'] === 'runs' ? node['Actual Rows'] * node['Actual Loops'] : 0) +
      (node.Plans ?? []).reduce((sum, inner) => sum + readIn(inner), 0);
    return (rows[0]?.['QUERY PLAN'] ?? []).reduce((sum, { Plan: plan }) => sum + readIn(plan), 0);
  }

  it('are listed page by page, each once, and no page reads more runs than it shows', async () => {
    const sent: { sql: string; bindings: unknown[] }[] = [];
    running.pool.knex.on('query', (query: { sql: string; bindings: unknown[] }) => sent.push(query));
    const ids = new Set<string>();
    const limit = 100;
    for (let cursor = ''; ;) {
      sent.length = 0;
      const { runs, nextCursor } = await running.pipelines.listPipelineRuns({ pipelineId, limit, cursor }, owner);
      for (const { id } of runs) ids.add(id);
      const listing = sent.find(({ sql }) => sql.includes('page_rows'));
      if (!listing) throw new Error('no runs were asked for');
      expect(await runsReadFor(listing)).toBeLessThanOrEqual(limit + 1);
      if (nextCursor === '') break;
      cursor = nextCursor;
    }
    expect(ids.size).toBe(RUNS + 1);
  });
});
