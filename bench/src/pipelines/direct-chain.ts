/**
 * What somebody does without the platform: `node direct-chain.ts SALES REPORT` has DuckDB make the tables of the nine steps one after the
 * other in its memory and write the last one, and prints how long that took. With a folder as a third argument each is a Parquet file there, as the
 * platform keeps them.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import { chainSteps, REPORT } from './chain-steps.ts';

/** Of wall clock and of CPU, without the start of Node. */
export interface ChainAnswer {
  readonly seconds: number;
  readonly cpu: number;
}

const [, , sales = '', report = '', folder] = process.argv;
const [startedAt, before] = [performance.now(), process.cpuUsage()];
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const viewOf = (name: string, file: string) => `CREATE VIEW ${name} AS SELECT * FROM read_parquet('${file}')`;
await connection.run(viewOf('sales', sales));
for (const { name, query } of chainSteps) {
  if (folder === undefined) await connection.run(`CREATE TABLE ${name} AS ${query}`);
  else {
    const file = join(folder, `${name}.parquet`);
    await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`);
    await connection.run(viewOf(name, file));
  }
}
await connection.run(`COPY ${REPORT} TO '${report}' (FORMAT parquet)`);
const { user, system } = process.cpuUsage(before);
const answer: ChainAnswer = { seconds: (performance.now() - startedAt) / 1000, cpu: (user + system) / 1e6 };
console.log(JSON.stringify(answer));
