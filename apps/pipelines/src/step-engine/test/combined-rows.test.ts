import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSteps, type StepsUnderTest } from './steps-under-test.ts';

interface Adding {
  /** Null: there are none yet. */
  readonly file?: string | null;
  readonly limits?: object;
}

describe('rows that are added to an output', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => {
    steps = await startSteps();
    const query =
      "SELECT id, region, amount::DECIMAL(9,2) AS amount FROM (VALUES (1, 'north', 1.5), (2, NULL, 2), (3, 'west', NULL)) AS t (id, region, amount)";
    const made = await steps.run({ kind: 'INGEST', query, output: { name: 'kept', file: steps.path('kept.parquet') } });
    expect(made.outcome).toBe('SUCCEEDED');
  });
  afterAll(() => steps.stop());

  const kept = () => steps.path('kept.parquet');
  const add = (query: string, keys: readonly string[] | null, { file = kept(), limits = {} }: Adding = {}) =>
    steps.run({
      ...{ kind: 'INGEST', query, limits },
      output: { name: 'sales', file: steps.path('sales.parquet'), onto: { file, keys } },
    });
  const rows = async () => {
    const inputs = [steps.input('sales', steps.path('sales.parquet'))];
    return (await steps.run({ inputs, query: 'SELECT * FROM sales' })).rows;
  };

  it('stand behind those that it has, in their columns and types', async () => {
    const { outcome, output } = await add("SELECT 7.25 AS AMOUNT, 'south' AS region, 4::BIGINT AS id", null);
    expect([outcome, output?.rows]).toEqual(['SUCCEEDED', 4]);
    expect(output?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id INTEGER',
      'region VARCHAR',
      'amount DECIMAL(9,2)',
    ]);
    expect(output?.statistics.find(({ name }) => name === 'id')).toMatchObject({ min: '1', max: '4' });
    expect(await rows()).toEqual([
      [1, 'north', '1.50'],
      [2, null, '2.00'],
      [3, 'west', null],
      [4, 'south', '7.25'],
    ]);
    expect(steps.logged.at(-1)).toMatch(/^appended 1 rows: 4 rows in \d+ bytes in sales$/);
  });

  it('take the place of those with the same keys, among which null is a value', async () => {
    const query =
      "SELECT * FROM (VALUES (9, NULL, 9.0), (8, 'north', 8.0), (7, 'east', 7.0)) AS t (id, region, amount)";
    expect((await add(query, ['Region'])).outcome).toBe('SUCCEEDED');
    expect(await rows()).toEqual([
      [3, 'west', null],
      [9, null, '9.00'],
      [8, 'north', '8.00'],
      [7, 'east', '7.00'],
    ]);
  });

  it('may be numbers of another type, as long as none is cut', async () => {
    const query = `SELECT * FROM (VALUES (4.0, 'x', 1.25::DOUBLE), (NULL, 'x', 2)) AS t (id, region, amount)`;
    expect((await add(query, null)).output).toMatchObject({ rows: 5 });
    expect((await add("SELECT '5.0' AS id, 'x' AS region, '1.25' AS amount", null)).output).toMatchObject({ rows: 4 });
    expect((await add("SELECT 'NaN'::DOUBLE AS id, 'x' AS region, 1 AS amount", null)).code).toBe('conversion');
  });

  it('may not be times of a day where there are days', async () => {
    const days = steps.path('days.parquet');
    const made = await steps.run({
      ...{ kind: 'INGEST', query: "SELECT DATE '2026-01-01' AS day" },
      output: { name: 'days', file: days },
    });
    expect(made.outcome).toBe('SUCCEEDED');
    const midnight = "SELECT TIMESTAMP '2026-01-02 00:00:00' AS day";
    expect((await add(midnight, null, { file: days })).output).toMatchObject({ rows: 2 });
    const noon = await add("SELECT TIMESTAMP '2026-01-02 12:00:00' AS day", null, { file: days });
    expect(noon).toMatchObject({ outcome: 'FAILED', code: 'conversion' });
  });

  it('are all that there is where it has none yet', async () => {
    expect((await add('SELECT 1 AS id', ['id'], { file: null })).output).toMatchObject({ rows: 1 });
    expect((await add('SELECT 1 AS id', null, { file: null })).output).toMatchObject({ rows: 1 });
  });

  it('say why they cannot be: other columns, keys twice, values of another type, too many of them', async () => {
    const region = "'north' AS region, 1 AS amount";
    const failures: [string, readonly string[] | null, string, RegExp][] = [
      [
        'SELECT 1 AS id, 2 AS price',
        null,
        'columns_differ',
        /it lacks region, amount; the dataset does not have price$/,
      ],
      [`SELECT range % 2 AS id, ${region} FROM range(3)`, ['id'], 'duplicate_key', /"id"$/],
      [`SELECT 1 AS id, NULL AS region, 1 AS amount FROM range(2)`, ['region'], 'duplicate_key', /"region"$/],
      [`SELECT 'many' AS id, ${region}`, null, 'conversion', /many/],
      [`SELECT 1.5 AS id, ${region}`, null, 'conversion', /id, a DECIMAL\(2,1\) here, are no INTEGER of the dataset$/],
      [`SELECT '1.5' AS id, ${region}`, ['id'], 'conversion', /id, a VARCHAR here/],
      [`SELECT 0.5::DOUBLE AS id, ${region} FROM range(2)`, null, 'conversion', /id, a DOUBLE here/],
      [`SELECT 1 AS id, ${region}`, ['missing'], 'unknown_column', /missing/],
    ];
    for (const [query, keys, code, message] of failures) {
      const report = await add(query, keys);
      expect(report).toMatchObject({ outcome: 'FAILED', code, message: expect.stringMatching(message) });
      expect(report.position).toBeUndefined();
      expect(report.message).not.toMatch(/parquet|\/work/);
    }
    const many = await add(`SELECT range AS id, ${region} FROM range(3)`, null, { limits: { outputRows: 2 } });
    expect(many).toMatchObject({ outcome: 'FAILED', code: 'too_many_rows' });
    const few = await add(`SELECT range AS id, ${region} FROM range(2)`, null, { limits: { outputRows: 2 } });
    expect(few.output).toMatchObject({ rows: 5 });
    const { output } = await add(`SELECT 1 AS id, ${region}`, null);
    const outputBytes = (output?.bytes ?? 0) - 1;
    const large = await add(`SELECT 1 AS id, ${region}`, null, { limits: { outputBytes } });
    expect(large).toMatchObject({ outcome: 'FAILED', code: 'too_large' });
  });
});
