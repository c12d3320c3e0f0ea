import { DuckDBInstance, type DuckDBConnection as Connection } from '@duckdb/node-api';
import { join } from 'node:path';
import type { EmptyTable, StepInput, StepJob } from '../domain/step-job.ts';

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export type { Connection };

/** Files that DuckDB may use for what does not fit into its memory. */
const SPILL_BYTES = '8GB';

/** One database in memory, as a process has it before it knows its job. */
export async function openDuckDb(): Promise<Connection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    errors_as_json: 'true',
  });
  return instance.connect();
}

/**
 * Gives it the tables of a job, and takes everything else away: from then on it reaches the inputs, the output and its
 * own folder for what it spills, and none of that can be taken back. The order matters: paths cannot be allowed once
 * access is off, and a folder that is allowed may be written to, so that inputs are named one by one.
 */
export async function prepareDuckDb(connection: Connection, job: StepJob, folder: string): Promise<void> {
  const { memoryBytes, threads } = job.limits;
  const files = [...job.inputs, job.output].flatMap((table) => (table && 'file' in table ? [table.file] : []));
  const spill = join(folder, 'spill');
  const settings = [
    `threads = ${Math.trunc(threads)}`,
    `memory_limit = '${Math.trunc(memoryBytes / 1024)}KiB'`,
    `temp_directory = ${quoted(spill)}`,
    `max_temp_directory_size = '${SPILL_BYTES}'`,
    "TimeZone = 'UTC'",
    `allowed_paths = [${files.map((file) => quoted(join(folder, file))).join(', ') || "''"}]`,
    `allowed_directories = [${quoted(`${spill}/`)}]`,
    'enable_external_access = false',
  ];
  const statements = [
    ...settings.map((setting) => `SET ${setting}`),
    ...job.inputs.map((input) => tableOf(input, folder)),
    'SET lock_configuration = true',
  ];
  await connection.run(statements.join(';\n'));
}

function tableOf(input: StepInput, folder: string): string {
  if ('columns' in input) return emptyTable(input);
  const file = quoted(join(folder, input.file));
  const read = {
    parquet: `read_parquet(${file})`,
    // All rows decide about the types: one odd value near the end makes a column text and not a failure.
    csv: `read_csv(${file}, sample_size = -1)`,
    jsonl: `read_json(${file}, format = 'newline_delimited', sample_size = -1)`,
    records: `read_json(${file}, format = 'newline_delimited', sample_size = -1, records = 'true')`,
  }[input.format ?? 'parquet'];
  return `CREATE VIEW ${identifier(input.name)} AS SELECT * FROM ${read}`;
}

export function emptyTable({ name, columns }: EmptyTable): string {
  const definitions = columns.map((column) => `${identifier(column.name)} ${column.type}`);
  return `CREATE TABLE ${identifier(name)} (${definitions.join(', ')})`;
}
