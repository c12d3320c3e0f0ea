import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startSteps, type StepsUnderTest } from './steps-under-test.ts';

const SALES = 'region,amount,sold_on\nnorth,10.50,2026-01-01\nsouth,,2026-01-02\nnorth,4.50,2026-01-03\n';

describe('the step program', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => (steps = await startSteps()));
  afterAll(() => steps.stop());

  it('turns a CSV into Parquet, and says what is in each column', async () => {
    const file = await steps.file('sales.csv', SALES);
    const report = await steps.run({
      kind: 'INGEST',
      inputs: [steps.input('sales', file, 'csv')],
      output: { name: 'sales', file: steps.path('sales.parquet') },
    });
    expect(report).toMatchObject({ outcome: 'SUCCEEDED', message: '', code: '' });
    expect(report.output).toMatchObject({
      rows: 3,
      columns: [
        { name: 'region', type: 'VARCHAR' },
        { name: 'amount', type: 'DECIMAL(18,2)' },
        { name: 'sold_on', type: 'DATE' },
      ],
      statistics: [
        { name: 'region', nulls: 0, distinct: 2, min: 'north', max: 'south' },
        { name: 'amount', nulls: 1, distinct: 2, min: '4.50', max: '10.50' },
        { name: 'sold_on', nulls: 0, distinct: 3, min: '2026-01-01', max: '2026-01-03' },
      ],
    });
    expect((await steps.bytesOf('sales.parquet')).subarray(0, 4).toString()).toBe('PAR1');
  });

  it('finds no more different values than there are values', async () => {
    const { output } = await steps.run({
      kind: 'TRANSFORM',
      // Of these many the approximation says 154,599.
      query: "SELECT 'a' || range AS n FROM range(150000)",
      output: { name: 'many', file: steps.path('many.parquet') },
    });
    expect(output?.statistics[0]?.distinct).toBe(150_000);
  });

  it.each([1_000, 150_000])('says of columns of every type what is in %s rows', async (rows) => {
    const [wide, long] = ['😀'.repeat(90), 'z'.repeat(300)];
    const made = await steps.run({
      kind: 'TRANSFORM',
      query: `SELECT range - 500 AS whole, ((range - 500) / 10)::DECIMAL(9, 1) AS "a ""price""", (range - 500)::DECIMAL(38, 0) AS large,
        if(range % 4 = 0, NULL, range) AS some, NULL::INTEGER AS none, DATE '1970-01-01' + (range % 900 - 500)::INTEGER AS day,
        TIMESTAMP '1969-12-31 23:59:59.5' + INTERVAL (range % 900) SECOND AS moment, range % 2 = 0 AS flag,
        if(range = 0, 'NaN'::DOUBLE, range / 2) AS number, 'r' || range AS text, if(range = 0, '${wide}', 'a') AS wide,
        if(range = 0, '${long}', 'a') AS long, if(range = 0, '', 'a') AS empty, [range] AS list FROM range(${rows})`,
      output: { name: 'typed', file: steps.path('typed.parquet') },
    });
    const found = new Map(made.output?.statistics.map(({ name, nulls, min, max }) => [name, [nulls, min, max]]));
    const asked = [...found.keys()].map((name) => `"${name.replaceAll('"', '""')}"`);
    const { rows: told } = await steps.run({
      inputs: [steps.input('typed', steps.path('typed.parquet'))],
      query: asked
        .map(
          (name) =>
            `SELECT count(*) - count(${name}), left(min(${name})::VARCHAR, 200), left(max(${name})::VARCHAR, 200) FROM typed`,
        )
        .join(' UNION ALL '),
    });
    expect([...found].filter(([name]) => name !== 'list').map(([, said]) => said)).toEqual(told.slice(0, -1));
    expect(found.get('list')).toEqual([0, null, null]);
  });

  it('writes what a query selects, checks it, and answers rows as plain JSON', async () => {
    const made = await steps.run({
      kind: 'TRANSFORM',
      query:
        "SELECT range AS n, 9007199254740993 AS big, 1.50::DECIMAL(9,2) AS price, [1, NULL] AS list, DATE '2026-02-03' AS day FROM range(3);  ",
      output: { name: 'made', file: steps.path('made.parquet') },
    });
    expect(made).toMatchObject({ outcome: 'SUCCEEDED', output: { rows: 3 } });
    const inputs = [steps.input('Made "it"', steps.path('made.parquet'))];
    const rows = await steps.run({ inputs, query: 'SELECT * FROM "made ""it""" ORDER BY n', limits: { rows: 2 } });
    expect(rows).toMatchObject({ isCut: true, columns: [{ name: 'n', type: 'BIGINT' }, {}, {}, {}, {}] });
    expect(rows.rows[1]).toEqual([1, '9007199254740993', '1.50', [1, null], '2026-02-03']);
    const good = await steps.run({ kind: 'CHECK', inputs, query: 'SELECT * FROM "Made ""it""" WHERE n < 0' });
    expect(good.outcome).toBe('SUCCEEDED');
    const bad = await steps.run({ kind: 'CHECK', inputs, query: 'SELECT n FROM "Made ""it""" WHERE n > 0' });
    expect(bad).toMatchObject({
      outcome: 'FAILED',
      code: 'check_failed',
      message: '2 rows failed the check',
      rows: [[1], [2]],
    });
    const exported = await steps.run({
      kind: 'EXPORT',
      inputs,
      query: 'SELECT n, price FROM "Made ""it""" ORDER BY n',
      output: { name: 'csv', file: steps.path('made.csv'), format: 'csv' },
    });
    expect(exported.outcome).toBe('SUCCEEDED');
    expect((await steps.bytesOf('made.csv')).toString()).toBe('n,price\n0,1.50\n1,1.50\n2,1.50\n');
  });

  it('writes no more rows than it may, in their order', async () => {
    const making = (query: string, outputRows: number) =>
      steps.run({
        kind: 'TRANSFORM',
        query,
        output: { name: 'few', file: steps.path('few.parquet') },
        limits: { outputRows },
      });
    const query = 'WITH all_of_them AS (FROM range(3)) SELECT range AS n FROM all_of_them ORDER BY n DESC -- three';
    expect(await making(query, 3)).toMatchObject({ outcome: 'SUCCEEDED', output: { rows: 3 } });
    const inputs = [steps.input('few', steps.path('few.parquet'))];
    expect((await steps.run({ inputs, query: 'SELECT n FROM few' })).rows).toEqual([[2], [1], [0]]);
    const message = 'The result has more than 2 rows';
    expect(await making(query, 2)).toMatchObject({ outcome: 'FAILED', code: 'too_many_rows', message, output: null });
    // Nobody waits for what is too much in any case.
    expect(await making('SELECT 1 AS n FROM range(100000000000)', 1)).toMatchObject({ code: 'too_many_rows' });
    expect(await making('SELECT nothing', 1)).toMatchObject({ code: 'unknown_column', position: { line: 1 } });
  });

  it('plans queries without data, each over its own tables or what one before it makes, and says where they are wrong', async () => {
    const columns = [
      { name: 'region', type: 'VARCHAR' },
      { name: 'n', type: 'STRUCT(a INTEGER)[]' },
    ];
    const sales = { name: 'sales', columns };
    const { outcome, plans } = await steps.run({
      kind: 'DESCRIBE',
      described: [
        { tables: [sales], query: 'SELECT region, n[1].a + 1 AS b FROM sales;' },
        { tables: [{ name: 'sales', madeBy: 0 }], query: 'SELECT b AS c FROM sales' },
        { tables: [], query: 'SELECT * FROM sales' },
        { tables: [sales], query: 'SELECT region\nFRM sales' },
        { tables: [sales], query: "SELECT 'ä',\n  regio FROM sales" },
        { tables: [sales, { name: 'other', madeBy: 4 }], query: 'SELECT * FROM other' },
        { tables: [], query: '' },
        { tables: [], query: 'DROP TABLE sales' },
        { tables: [sales], query: 'SELECT regexp_nothing(region) FROM sales' },
        { tables: [sales], query: 'SELECT region FROM sales' },
      ],
    });
    expect(outcome).toBe('SUCCEEDED');
    expect(plans).toMatchObject([
      {
        outcome: 'SUCCEEDED',
        columns: [
          { name: 'region', type: 'VARCHAR' },
          { name: 'b', type: 'INTEGER' },
        ],
      },
      { outcome: 'SUCCEEDED', columns: [{ name: 'c', type: 'INTEGER' }] },
      { outcome: 'FAILED', code: 'unknown_table', position: { line: 1, column: 15 } },
      { code: 'syntax', position: { line: 2, column: 5 } },
      { code: 'unknown_column', position: { line: 2, column: 3 } },
      { code: 'unknown_table' },
      { code: 'syntax', message: 'There is no query' },
      { outcome: 'FAILED', code: 'not_a_select', message: expect.stringMatching(/^Steps only read/) },
      { code: 'unknown_function', message: expect.stringMatching(/regexp_nothing/), position: { line: 1, column: 8 } },
      { outcome: 'SUCCEEDED', columns: [{ name: 'region', type: 'VARCHAR' }] },
    ]);
  });

  it.each([
    'DROP TABLE nothing',
    'DROP VIEW sales',
    '-- all of it\nDELETE FROM sales',
    'INSERT INTO sales VALUES (1)',
    'UPDATE sales SET id = 2',
    'CREATE TABLE sales AS SELECT 1 AS id',
    'ALTER TABLE nothing ADD COLUMN id INTEGER',
    "COPY sales TO 'sales.csv'",
    "ATTACH 'other.db'",
    "SET memory_limit = '1GB'",
    'CALL nothing()',
  ])('reads only, and says so of %s', async (query) => {
    await steps.run({
      kind: 'INGEST',
      query: 'SELECT 1 AS id',
      output: { name: 'sales', file: steps.path('one.parquet') },
    });
    const inputs = [steps.input('sales', steps.path('one.parquet'))];
    const { code, message } = await steps.run({ inputs, query });
    expect([code, message]).toEqual(['not_a_select', expect.stringMatching(/^Steps only read: a query is one SELECT/)]);
  });

  it.each([
    ['SELECT no_such_function(1)', 'unknown_function', /no_such_function/],
    ['SELECT * FROM no_such_source(1)', 'unknown_function', /no_such_source/],
    ['WITH a AS (SELECT 1) SELECT no_such_function(*) OVER () FROM a', 'unknown_function', /no_such_function/],
    ["SELECT 'x'::no_such_type", 'unknown_type', /no_such_type/],
    ['FROM nothing', 'unknown_table', /nothing.*\n.*inputs/s],
    ['SUMMARIZE nothing', 'unknown_table', /nothing/],
    ["SELECT * FROM read_csv('/etc/passwd')", 'not_allowed', /no files/],
  ])('says of %s that it is %s', async (query, code, message) => {
    expect(await steps.run({ query })).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('runs as one file with its engine prelinked, and not as it is written', async () => {
    await steps.run({ query: 'SELECT 1' });
    expect(steps.logged.filter((line) => line.includes('bundled'))).toEqual([]);
    const [program] = (await readdir(steps.path('work'))).filter((name) => name.startsWith('program-'));
    expect(await readdir(steps.path(join('work', String(program), 'compiled')))).toContain('step-program');
  });

  it('hears long jobs, and is heard when its report is long', async () => {
    const text = 'ä'.repeat(200_000);
    const report = await steps.run({ query: `SELECT '${text}' AS a`, limits: { outputBytes: 2 ** 20 } });
    expect(report.rows).toEqual([[text]]);
  });

  it('says what is wrong with a file, without saying where it lies', async () => {
    const file = await steps.file('broken.parquet', 'PAR1 and nothing more');
    const inputs = [steps.input('broken', file)];
    const report = await steps.run({ kind: 'INGEST', inputs, output: { name: 'x', file: steps.path('x.parquet') } });
    expect(report.outcome).toBe('FAILED');
    expect(report.message).not.toContain(steps.directory);
  });

  it('ends what takes too long, what wants too much memory and what writes too much, each alone', async () => {
    const slow = 'SELECT count(*) FROM range(100000000000) a(x) WHERE hash(x) = 1';
    const beside = steps.run({ query: 'SELECT 1' });
    expect(await steps.run({ query: slow, limits: { seconds: 0.3 } })).toMatchObject({
      outcome: 'FAILED',
      code: 'timed_out',
    });
    expect((await beside).outcome).toBe('SUCCEEDED');
    const hungry = "SELECT string_agg(repeat('x', 1000000) || x, '') AS all_of_it FROM range(100000) r(x)";
    expect(await steps.run({ query: hungry, limits: { memoryBytes: 64 * 2 ** 20 } })).toMatchObject({
      outcome: 'FAILED',
      code: 'out_of_memory',
    });
    const output = { name: 'large', file: steps.path('large.parquet') };
    const large = 'SELECT uuid() AS a, uuid() AS b FROM range(20000000)';
    expect(
      await steps.run({ kind: 'TRANSFORM', query: large, output, limits: { outputBytes: 2 ** 20 } }),
    ).toMatchObject({
      outcome: 'FAILED',
      code: 'too_large',
    });
  });

  it('says how long it has run, also when it fails, takes too long or is cancelled', async () => {
    const secondsOf = async (query: string, seconds = 30) => {
      const before = performance.now();
      const report = await steps.run({ query, limits: { seconds } });
      return { ...report, wall: (performance.now() - before) / 1000 };
    };
    const fails = await secondsOf(
      "SELECT error('after ' || s) FROM (SELECT sum(hash(range)) AS s FROM range(100000000))",
    );
    expect(fails).toMatchObject({ outcome: 'FAILED', code: 'invalid_data' });
    expect(fails.seconds).toBeGreaterThan(0.1);
    expect(fails.seconds).toBeLessThan(fails.wall);
    const slow = 'SELECT count(*) FROM range(100000000000) a(x) WHERE hash(x) = 1';
    const late = await secondsOf(slow, 0.3);
    expect(late).toMatchObject({ outcome: 'FAILED', code: 'timed_out' });
    expect(late.seconds).toBeGreaterThanOrEqual(0.3);
    expect(late.seconds).toBeLessThan(late.wall);
    const [cancelled, ran] = [new AbortController(), [] as number[]];
    // Where a process is there already, it begins at once.
    await steps.run({ query: 'SELECT 1' });
    const run = steps.run({ query: slow }, cancelled.signal, 'org_1', (seconds) => void ran.push(seconds));
    setTimeout(() => cancelled.abort(new Error('enough')), 1_000);
    await expect(run).rejects.toThrow('enough');
    expect(ran).toEqual([expect.any(Number)]);
    expect(ran[0]).toBeGreaterThan(0.1);
    expect(ran[0]).toBeLessThan(1.5);
  });

  it('is gone within a second when it is cancelled, and leaves no folder behind', async () => {
    const cancelled = new AbortController();
    const endless = 'SELECT count(*) FROM range(100000000000) a(x) WHERE hash(x) = 1';
    const end = expect(steps.run({ query: endless }, cancelled.signal)).rejects.toThrow('enough');
    // One that came after it has been carried out beside it.
    expect((await steps.run({ query: 'SELECT 1' })).outcome).toBe('SUCCEEDED');
    cancelled.abort(new Error('enough'));
    await end;
    await steps.run({ query: 'SELECT 1' });
    // The one that waits for the next step has one, and so have the program as one file and its engine.
    const areGone = async () =>
      (await readdir(steps.path('work'))).filter((name) => !name.startsWith('engine-')).length <= 2;
    await waitFor(areGone, { what: 'the folders of those that have ended to be removed' });
  });
});
