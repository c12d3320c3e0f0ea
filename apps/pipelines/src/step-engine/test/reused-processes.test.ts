import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { StepReport } from '../domain/step-job.ts';
import { stepMetrics } from '../processes/step-metrics.ts';
import { startSteps, testSandbox, type StepsUnderTest } from './steps-under-test.ts';

/** What a query may leave behind in a process that has another job of the same organisation afterwards. */
describe('a process that does several steps', () => {
  let steps: StepsUnderTest;
  let inputs: ReturnType<StepsUnderTest['input']>[];
  beforeAll(async () => {
    steps = await startSteps({ processes: 1, warm: 0 });
    inputs = [steps.input('own', await steps.file('own.csv', 'a\n1\n'), 'csv')];
  });
  afterAll(() => steps.stop());

  const rowsOf = async (query: string, organisation: string, wanted: Partial<Parameters<typeof steps.run>[0]> = {}) => {
    const report = await steps.run({ query, ...wanted }, undefined, organisation);
    expect(report).toMatchObject({ outcome: 'SUCCEEDED', message: '' });
    return report.rows;
  };

  it('does them without a start, and has nothing of one in the next', async () => {
    const before = steps.started();
    const look = {
      settings: `SELECT name, value FROM duckdb_settings() ORDER BY name`,
      tables: `SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal`,
      files: `SELECT * FROM duckdb_temporary_files()`,
      databases: `SELECT database_name FROM duckdb_databases() WHERE NOT internal`,
      variables: `SELECT * FROM duckdb_variables()`,
      statements: `SELECT * FROM duckdb_prepared_statements()`,
      logs: `SELECT * FROM duckdb_logs`,
    };
    const limits = { rows: 1000 };
    const seen = async () => {
      const answers: Record<string, unknown> = {};
      for (const [what, query] of Object.entries(look)) answers[what] = await rowsOf(query, 'org_1', { limits });
      return answers;
    };
    const fresh = await seen();
    const seeded = await rowsOf('SELECT random() FROM (SELECT setseed(0.5)) s', 'org_1');
    await rowsOf('SELECT a, setseed(0.5) FROM own', 'org_1', { inputs });
    expect(await rowsOf('SELECT random()', 'org_1')).not.toEqual(seeded);
    await rowsOf("SELECT * FROM enable_logging('QueryLog')", 'org_1');
    await rowsOf("SELECT write_log('left behind', level := 'error')", 'org_1');
    await rowsOf('SELECT hash(range) AS a FROM range(3000000) ORDER BY a', 'org_1', {
      limits: { memoryBytes: 24 * 2 ** 20, rows: 1 },
    });
    expect(await seen()).toEqual(fresh);
    expect(steps.started() - before).toBe(1);
  });

  itWhere(testSandbox.reason, 'tells nothing of the host by the settings of its engine', async () => {
    const settings = await rowsOf(`SELECT name, value FROM duckdb_settings()`, 'org_2', { limits: { rows: 1000 } });
    expect(settings).toContainEqual(['temp_directory', '/step/work/spill']);
    expect(JSON.stringify(settings)).not.toContain(tmpdir());
    const { outcome, code } = await steps.run({ query: `SELECT * FROM glob('/*')` }, undefined, 'org_2');
    expect([outcome, code]).toEqual(['FAILED', 'not_allowed']);
  });

  it('is of one organisation, whoever comes next', async () => {
    const before = steps.started();
    for (const organisation of ['org_2', 'org_3', 'org_2', 'org_3', 'org_2']) await rowsOf('SELECT 1', organisation);
    // With one place no more than one waits, and that is none of the next one's.
    expect(steps.started() - before).toBe(5);
  });

  it('lets go of a result that was not read to its end', async () => {
    const cut = { inputs, limits: { rows: 1, threads: 4 } };
    await rowsOf('SELECT 1', 'org_6');
    await rowsOf('SELECT 1', 'org_6');
    const before = threadsBelow(steps.lastStarted());
    for (let count = 0; count < 3; count += 1) await rowsOf('SELECT a FROM own, range(1000000)', 'org_6', cut);
    await rowsOf('SELECT 1', 'org_6');
    expect(threadsBelow(steps.lastStarted())).toBeLessThanOrEqual(before);
  });

  it('ends after a step that did not succeed, and when it holds memory of what is over', async () => {
    await rowsOf('SELECT 1', 'org_4');
    let before = steps.started();
    await rowsOf('SELECT 1', 'org_4');
    expect(steps.started()).toBe(before);
    expect((await steps.run({ query: 'SELECT nothing' }, undefined, 'org_4')).outcome).toBe('FAILED');
    await rowsOf('SELECT 1', 'org_4');
    expect(steps.started() - before).toBe(1);
    before = steps.started();
    await rowsOf("SELECT list(repeat('x', 1000) || range) FROM range(50000)", 'org_4', { limits: { outputBytes: 1 } });
    await rowsOf('SELECT 1', 'org_4');
    expect(steps.started() - before).toBe(1);
  });

  it('ends after fifty', async () => {
    await rowsOf('SELECT 1', 'org_5');
    const before = steps.started();
    for (let count = 1; count < 50; count += 1) await rowsOf('SELECT 1', 'org_5');
    expect(steps.started()).toBe(before);
    await rowsOf('SELECT 1', 'org_5');
    expect(steps.started() - before).toBe(1);
  }, 60_000);
});

/** Steps of one run. */
describe('jobs of a chain', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => (steps = await startSteps({ processes: 1, warm: 0 })));
  afterAll(() => steps.stop());

  /** What a query finds in the engine after jobs of a chain; it is a check, which tells what it has found by failing. */
  const foundAfter = async (before: readonly string[], look: string, id = 'run_1', next = id) => {
    for (const [index, query] of before.entries()) {
      const output = { name: 'made', file: steps.path(`${id}-${index}`) };
      const job = { kind: 'TRANSFORM' as const, query, output, chain: { id, goesOn: true } };
      const inputs = index === 0 ? [] : [{ name: 'made', file: steps.path(`${id}-${index - 1}`) }];
      expect(await steps.run({ ...job, inputs })).toMatchObject({ outcome: 'SUCCEEDED', message: '' });
    }
    const inputs = [{ name: 'made', file: steps.path(`${id}-${before.length - 1}`) }];
    return (await steps.run({ kind: 'CHECK', query: look, inputs, chain: { id: next, goesOn: false } })).rows;
  };
  /** An engine counts what it has had in its catalogue, and never twice the same. */
  const number = `SELECT view_oid FROM duckdb_views() WHERE view_name = 'made'`;
  const numberOf = (rows: StepReport['rows']): number => Number(rows[0]?.[0]);

  it('have one engine, which reads what the one before has made, and nobody else has it', async () => {
    const made = ['SELECT 1 AS a', 'SELECT a + 1 AS a FROM made', 'SELECT a + 1 AS a FROM made'];
    const third = numberOf(await foundAfter(made, number, 'run_1'));
    expect(numberOf(await foundAfter(made, number, 'run_2', 'run_3'))).toBeLessThan(third);
    expect(await foundAfter(made, 'SELECT a FROM made WHERE a <> 3', 'run_4')).toEqual([]);
  });

  it.each([
    ['a table', 'SELECT 1 AS a', `SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name <> 'made'`],
    ['a log', `SELECT * FROM enable_logging('QueryLog')`, `SELECT 1 FROM duckdb_logs`],
    ['a file', 'SELECT hash(range) AS a FROM range(2000000) ORDER BY a', 'SELECT 1 FROM duckdb_temporary_files()'],
  ])('leave no %s for each other', async (_, query, look) => {
    expect(await foundAfter([query, 'SELECT 1 AS a FROM made'], look, `run of ${look}`)).toEqual([]);
  });

  it('leave no seed for each other', async () => {
    const { rows } = await steps.run({ query: 'SELECT random()::VARCHAR FROM (SELECT setseed(0.5)) s' });
    const look = `SELECT 1 WHERE random()::VARCHAR = '${rows[0]?.[0] as string}'`;
    expect(await foundAfter(['SELECT setseed(0.5) AS a'], look, 'run of a seed')).toEqual([]);
  });
});

describe('the metrics of processes', () => {
  it('tell how many there are, how many were started, and what became of jobs', async () => {
    const metrics = createMetrics();
    const steps = await startSteps({
      program: TAKEN_OVER,
      processes: 1,
      warm: 0,
      metrics: stepMetrics(metrics)('query'),
    });
    try {
      const query = 'memory.onReset = () => clean(work)';
      await steps.run({ query });
      await steps.run({ query });
      await steps.run({ query: 'process.exit(1)' });
      await steps.run({ query });
      const page = await metrics.serve('127.0.0.1:0');
      const text = await (await fetch(`http://${page.address}/metrics`)).text();
      await page.close();
      const lines = [...text.matchAll(/^(pipelines_\w+\{kind="query".*?\}) (\d+)$/gm)];
      const told = new Map(lines.map(([, name, value]) => [name, Number(value)]));
      expect(Object.fromEntries(told)).toMatchObject({
        'pipelines_step_processes_started_total{kind="query"}': 2,
        'pipelines_jobs_total{kind="query",outcome="succeeded"}': 3,
        'pipelines_jobs_total{kind="query",outcome="lost"}': 1,
        'pipelines_step_processes{kind="query",state="idle"}': 1,
        'pipelines_step_processes{kind="query",state="working"}': 0,
        'pipelines_jobs_waiting{kind="query"}': 0,
        'pipelines_job_wait_seconds_count{kind="query"}': 4,
      });
    } finally {
      await steps.stop();
    }
  });
});

/** Of a process and all below it. */
function threadsBelow(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return threads.length + children.reduce((sum, child) => sum + threadsBelow(child), 0);
}

/** A program that does as it is told by its query, remembers all of it, and cleans up nothing unless that is its wish. */
const TAKEN_OVER = `
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
const pipe = new Socket({ fd: 4 });
const say = (message) => pipe.write(JSON.stringify(message) + '\\n');
const memory = { id: randomUUID(), jobs: [], onReset: () => undefined };
const clean = (folder) => fs.readdirSync(folder).forEach((name) => fs.rmSync(join(folder, name), { recursive: true }));
const tried = (act) => { try { act(); return 'done'; } catch (error) { return error.code; } };
pipe.on('close', () => process.exit());
createInterface({ input: pipe }).on('line', (line) => {
  const command = JSON.parse(line);
  if (command === 'cancel') return;
  if (command === 'reset') {
    memory.onReset();
    return say('ready');
  }
  const { job, folder } = command;
  const given = { memory, fs, folder, work: join(folder, 'work'), job, tried, clean };
  const value = new Function(...Object.keys(given), job.query)(...Object.values(given));
  const output = job.output && { rows: 0, bytes: 1, columns: [], statistics: [] };
  say({ report: { outcome: 'SUCCEEDED', message: '', code: '', output, columns: [], rows: [[memory.id, value ?? null]], isCut: false, seconds: 0 } });
});
say('ready');
`;

/** What the processes themselves may not be trusted with: each is taken over by its first job. */
describe('a process that somebody has taken over', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => (steps = await startSteps({ program: TAKEN_OVER, processes: 3, idleMs: 1_000 })));
  afterAll(() => steps.stop());

  const told = async (query: string, organisation = 'org_1', wanted: object = {}) => {
    const { rows } = await steps.run({ query, ...wanted }, undefined, organisation);
    return rows[0] as [id: string, value: unknown];
  };
  const idOf = async (query: string, organisation?: string) => (await told(query, organisation))[0];

  it('never has a job of another organisation, in whatever order they come', async () => {
    const organisations = Array.from({ length: 60 }, (_, index) => `org_${(index * 7) % 4}`);
    const query = 'memory.jobs.push(job.limits.rows); memory.onReset = () => clean(work); return memory.jobs';
    const seen = await Promise.all(
      organisations.map(async (organisation, index) => {
        const [id, jobs] = await told(query, organisation, { limits: { rows: index } });
        return { id, jobs: jobs as number[] };
      }),
    );
    const served = seen.map(({ jobs }) => new Set(jobs.map((job) => organisations[job])).size);
    expect(new Set(served)).toEqual(new Set([1]));
    expect(new Set(seen.map(({ id }) => id)).size).toBeLessThan(organisations.length);
  });

  it.each([
    ['a file', `fs.writeFileSync(work + '/left', 'secret')`],
    ['a link to a file of others', `fs.symlinkSync('/etc/passwd', work + '/output')`],
    ['a folder in a folder', `fs.mkdirSync(work + '/spill/deep', { recursive: true })`],
    ['a folder that nobody may look into', `fs.writeFileSync(work + '/left', ''); fs.chmodSync(work, 0)`],
  ])('has no other job when it has left %s', async (_, act) => {
    const organisation = `org_of_${act.length}`;
    const first = await idOf(act, organisation);
    expect(await idOf('', organisation)).not.toBe(first);
    expect(steps.logged.join()).toContain('step_process.not_reset');
  });

  it('has no other job when it speaks of one that is over, or says nothing at all any more', async () => {
    const chatty = `memory.onReset = () => process.nextTick(() => undefined) ?? fs.writeSync(4, '{"log":"late"}\\n')`;
    const first = await idOf(chatty, 'org_late');
    expect(await idOf('', 'org_late')).not.toBe(first);
    const leaving = await idOf('memory.onReset = () => process.exit()', 'org_gone');
    expect(await idOf('', 'org_gone')).not.toBe(leaving);
  });

  itWhere(testSandbox.reason, 'does not change its inputs, which are files of other steps as well', async () => {
    const file = await steps.file('shared.csv', 'a\n1\n');
    const query = `const [input] = job.inputs, path = folder + '/' + input.file;
      return [
        () => fs.writeFileSync(path, 'changed'), () => fs.chmodSync(path, 0o600), () => fs.unlinkSync(path),
        () => fs.linkSync(path, work + '/kept'), () => fs.renameSync(work, folder + '/other'),
        () => fs.rmdirSync(work), () => fs.symlinkSync('/', folder + '/inputs/link'),
      ].map(tried)`;
    const [, tries] = await told(query, 'org_1', { inputs: [steps.input('own', file, 'csv')] });
    expect(tries).toEqual(['EROFS', 'EROFS', 'EROFS', 'EXDEV', 'EROFS', 'EROFS', 'EROFS']);
    expect(readFileSync(file, 'utf8')).toBe('a\n1\n');
  });

  it('leads nobody out of its folder with what it calls its output', async () => {
    const secret = await steps.file('secret', 'of somebody else');
    const output = { name: 'sums', file: steps.path('taken') };
    const run = (query: string): Promise<StepReport> => steps.run({ kind: 'TRANSFORM', query, output });
    const links = [
      `fs.symlinkSync(${JSON.stringify(secret)}, folder + '/' + job.output.file)`,
      `const made = folder + '/' + job.output.file;
       fs.mkdirSync(made); fs.symlinkSync(${JSON.stringify(steps.directory)}, made + '/link')`,
    ];
    for (const query of links) {
      await expect(run(query)).rejects.toThrow('is no file');
      expect(existsSync(output.file)).toBe(false);
    }
    expect(readFileSync(secret, 'utf8')).toBe('of somebody else');
  });

  it('has a disk that is not all of the machine, for one file and for all together', async () => {
    const full = `
      fs.writeFileSync(work + '/a', ''); fs.truncateSync(work + '/a', 5e9);
      fs.writeFileSync(work + '/b', ''); fs.truncateSync(work + '/b', 5e9);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);`;
    expect(await steps.run({ query: full })).toMatchObject({ outcome: 'FAILED', code: 'too_large' });
    const large = `fs.writeFileSync(work + '/a', ''); return tried(() => fs.truncateSync(work + '/a', 1e11))`;
    // It is ended by the signal, or hears of the limit.
    const { outcome, rows } = await steps.run({ query: large });
    expect([outcome, rows[0]?.[1]]).not.toEqual(['SUCCEEDED', 'done']);
  });

  it('ends when no other job comes, and its folder with it', async () => {
    const first = await idOf(`memory.onReset = () => clean(work)`, 'org_idle');
    expect(await idOf('', 'org_idle')).toBe(first);
    const folders = async () => (await readdir(steps.path('work'))).length;
    // One waits for work of anybody.
    await waitFor(async () => (await folders()) === 1, { what: 'those that are idle to end' });
    expect(await idOf('', 'org_idle')).not.toBe(first);
  });
});

describe('a process that waits for work of anybody', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => {
    steps = await startSteps({ processes: 1, warm: 1 });
  });
  afterAll(() => steps.stop());

  it('costs nobody a step where it is killed meanwhile', async () => {
    expect(await steps.run({ query: 'SELECT 1' }, undefined, 'org_1')).toMatchObject({ outcome: 'SUCCEEDED' });
    await waitFor(() => steps.started() === 2, { what: 'one that waits' });
    const waits = steps.lastStarted();
    process.kill(waits, 'SIGKILL');
    await waitFor(() => !existsSync(`/proc/${String(waits)}`), { what: 'it to be gone' });
    expect(await steps.run({ query: 'SELECT 1' }, undefined, 'org_2')).toMatchObject({ outcome: 'SUCCEEDED' });
  });
});
