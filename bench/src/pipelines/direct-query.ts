/** What somebody does without the platform: `node direct-query.ts FILE QUERY` asks DuckDB, and prints how long that took. */
import { DuckDBInstance } from '@duckdb/node-api';

export interface DirectAnswer {
  readonly seconds: number;
  readonly rows: number;
}

const [, , file = '', query = ''] = process.argv;
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(`CREATE VIEW sales AS SELECT * FROM read_parquet('${file}')`);
const startedAt = performance.now();
const rows = (await connection.runAndReadAll(query)).getRowsJson();
const answer: DirectAnswer = { seconds: (performance.now() - startedAt) / 1000, rows: rows.length };
console.log(JSON.stringify(answer));
