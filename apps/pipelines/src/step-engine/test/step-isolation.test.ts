import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSteps, type StepsUnderTest } from './steps-under-test.ts';

/** What the query of somebody who means harm reaches, in the processes that steps really run in. */
describe('a step in its sandbox', () => {
  let steps: StepsUnderTest;
  let inputs: { name: string; file: string; format: 'parquet' | 'csv' | 'jsonl' }[];
  let foreign: string;
  beforeAll(async () => {
    steps = await startSteps({ processes: 1 });
    inputs = [steps.input('own', await steps.file('own.csv', 'a\n1\n'), 'csv')];
    foreign = await steps.file('foreign.csv', 'secret\n42\n');
  });
  afterAll(() => steps.stop());

  const failures = async (queries: readonly string[]): Promise<string[]> => {
    const succeeded: string[] = [];
    for (const query of queries) {
      const { outcome } = await steps.run({ query, inputs });
      if (outcome !== 'FAILED') succeeded.push(`${outcome}: ${query}`);
    }
    return succeeded;
  };

  it('reads its inputs, and no file of another organisation or of the machine', async () => {
    expect((await steps.run({ query: 'SELECT a FROM own', inputs })).rows).toEqual([[1]]);
    const reads = [
      `SELECT * FROM read_csv('${foreign}')`,
      `SELECT * FROM '${foreign}'`,
      `SELECT * FROM read_text('/etc/passwd')`,
      `SELECT * FROM read_blob('/proc/self/environ')`,
      `SELECT * FROM glob('${steps.directory}/**')`,
      `SELECT * FROM read_csv('../../foreign.csv')`,
      `SELECT * FROM sniff_csv('${foreign}')`,
      `SELECT * FROM query('SELECT * FROM read_csv(''${foreign}'')')`,
    ];
    expect(await failures(reads)).toEqual([]);
  });

  it('writes nothing, attaches nothing, loads nothing and changes no setting', async () => {
    const statements = [
      `COPY (SELECT 1) TO '${steps.directory}/written.csv'`,
      `SELECT 1) TO '${steps.directory}/written.csv'; COPY (SELECT 1`,
      `ATTACH '${steps.directory}/other.db' AS other`,
      'INSTALL httpfs',
      'LOAD httpfs',
      `EXPORT DATABASE '${steps.directory}'`,
      'SET enable_external_access = true',
      "SET allowed_directories = ['/']",
      'RESET lock_configuration',
      "PRAGMA memory_limit = '100GB'",
      'CREATE TABLE mine AS SELECT 1',
      'SELECT 1; SELECT 2',
      "SELECT * FROM query('COPY (SELECT 1) TO ''/tmp/written.csv''')",
    ];
    expect(await failures(statements)).toEqual([]);
  });

  it('reaches no network', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('a\n1\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const urls = [`http://127.0.0.1:${port}/a.csv`, `s3://bucket/a.csv?s3_endpoint=127.0.0.1:${port}`];
    expect(await failures(urls.map((url) => `SELECT * FROM read_csv('${url}')`))).toEqual([]);
    expect(asked).toBe(0);
    server.close();
  });

  it('knows no environment and no secret', async () => {
    expect(await failures(["SELECT getenv('HOME')", 'SELECT * FROM duckdb_secrets()'])).toEqual([]);
  });

  it('that wants all memory ends alone, whether its engine or its process notices', async () => {
    const hungry = "SELECT list(repeat('x', 100000) || range) AS all_of_it FROM range(1000000)";
    const [greedy, other] = await Promise.all([
      steps.run({ query: hungry, inputs, limits: { memoryBytes: 64 * 2 ** 20 } }),
      steps.run({ query: 'SELECT a FROM own', inputs }),
    ]);
    expect(greedy).toMatchObject({ outcome: 'FAILED', code: 'out_of_memory' });
    expect(other.rows).toEqual([[1]]);
  });
});
