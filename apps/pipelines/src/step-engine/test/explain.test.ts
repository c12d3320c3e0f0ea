import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSteps, type StepsUnderTest } from './steps-under-test.ts';

describe('a query that is explained', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => {
    steps = await startSteps();
    const query = 'SELECT range AS id, range % 3 AS region FROM range(1000)';
    await steps.run({ kind: 'INGEST', query, output: { name: 'sales', file: steps.path('sales.parquet') } });
  });
  afterAll(() => steps.stop());

  const explain = (query: string, asked: 'PLAN' | 'ANALYZED', limits = {}) =>
    steps.run({ inputs: [steps.input('sales', steps.path('sales.parquet'))], query, explain: asked, limits });
  const grouped = 'SELECT region, count(*) AS n FROM sales WHERE id > 10 GROUP BY region ORDER BY n;';

  it('says what would be done, with how many rows that are to be expected, and does it not', async () => {
    const { outcome, plan = [], rows, columns } = await explain(grouped, 'PLAN');
    expect([outcome, rows, columns.map(({ name }) => name)]).toEqual(['SUCCEEDED', [], ['region', 'n']]);
    expect(plan[0]?.depth).toBe(0);
    const read = plan.find(({ name }) => name === 'READ_PARQUET');
    expect(read).toMatchObject({ rows: null, seconds: null, details: { Filters: expect.stringContaining('id>10') } });
    expect(read?.estimatedRows).toBeGreaterThan(0);
    expect(Math.max(...plan.map(({ depth }) => depth))).toBe(read?.depth);
    const endless = 'SELECT count(*) FROM range(100000000) a, range(100000000) b';
    expect((await explain(endless, 'PLAN')).outcome).toBe('SUCCEEDED');
  });

  it('says how it went, and nothing of where its tables rest', async () => {
    const { plan = [] } = await explain(grouped, 'ANALYZED');
    expect(plan.find(({ name }) => name === 'READ_PARQUET')).toMatchObject({
      rows: 989,
      seconds: expect.any(Number),
    });
    expect(plan.find(({ name }) => name.includes('GROUP_BY'))?.rows).toBe(3);
    expect(plan.map(({ name }) => name)).not.toContain('EXPLAIN_ANALYZE');
    expect(JSON.stringify(plan)).not.toMatch(/input-0|\.parquet|\/inputs/);
  });

  it('is one that selects, says where it is wrong, and is told no longer than there is room', async () => {
    for (const asked of ['PLAN', 'ANALYZED'] as const) {
      expect(await explain('SELECT 1; SELECT 2', asked)).toMatchObject({ code: 'not_one_statement' });
      expect(await explain("COPY sales TO 'x'", asked)).toMatchObject({ code: 'not_a_select' });
      expect(await explain('SELECT\n  price FROM sales', asked)).toMatchObject({
        ...{ outcome: 'FAILED', code: 'unknown_column', position: { line: 2, column: 3 } },
      });
    }
    const failing = await explain("SELECT\n  CAST('x' || id AS INTEGER) FROM sales", 'ANALYZED');
    expect(failing).toMatchObject({ outcome: 'FAILED', code: 'conversion' });
    const short = await explain(grouped, 'PLAN', { outputBytes: 200 });
    expect([short.isCut, short.plan?.length]).toEqual([true, 1]);
  });
});
