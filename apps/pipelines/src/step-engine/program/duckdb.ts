import { DuckDBInstance, type DuckDBConnection as Connection } from '@duckdb/node-api';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCsvOptions } from '../domain/csv.ts';
import { SPILL_BYTES } from '../domain/limits.ts';
import type { Column, EmptyTable, StepInput, StepJob } from '../domain/step-job.ts';
import { folderNames } from '../domain/step-messages.ts';
import { readCsv, requireContent } from './csv.ts';
import { identifier, quoted } from './sql.ts';

export type { Connection };

export interface Engine {
  readonly connection: Connection;
  /** Another connection to it, which has nothing of the one before; that is closed. */
  readonly reconnect: () => Promise<Engine>;
  /** It and all that it has, as far as nobody holds a statement or a result of it. */
  readonly close: () => void;
}

/** One database in memory, as a process has it before it knows its job. */
export async function openDuckDb(): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    errors_as_json: 'true',
  });
  const connected = async (): Promise<Engine> => {
    const connection = await instance.connect();
    return {
      connection,
      reconnect() {
        connection.closeSync();
        return connected();
      },
      close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  };
  return connected();
}

/**
 * Gives it the tables of a job, and takes everything else away: from then on it reaches the inputs, the output and its
 * own folder for what it spills, and none of that can be taken back. The order matters: paths cannot be allowed once
 * access is off, and a folder that is allowed may be written to, so that inputs are named one by one.
 */
export async function prepareDuckDb(
  connection: Connection,
  job: StepJob,
  folder: string,
  moreFiles: readonly string[] = [],
): Promise<void> {
  const { memoryBytes, threads } = job.limits;
  const named = [...job.inputs, job.output].flatMap((table) => (table && 'file' in table ? [table.file] : []));
  const files = [...named, ...(job.output?.onto?.file ? [job.output.onto.file] : []), ...moreFiles];
  const spill = spillFolder(folder);
  const settings = [
    `threads = ${Math.trunc(threads)}`,
    `memory_limit = '${Math.trunc(memoryBytes / 1024)}KiB'`,
    `temp_directory = ${quoted(spill)}`,
    `max_temp_directory_size = '${SPILL_BYTES}B'`,
    // Also for the connections that come after this one: to one of them alone it would be the machine's again.
    "GLOBAL TimeZone = 'UTC'",
    `allowed_paths = [${files.map((file) => quoted(join(folder, file))).join(', ') || "''"}]`,
    `allowed_directories = [${quoted(`${spill}/`)}]`,
    'enable_external_access = false',
  ];
  const reachable = settings.map((setting) => `SET ${setting}`).join(';\n');
  const isFoundOut = job.inputs.some((input) => 'file' in input && input.format === 'csv');
  // One round trip where nothing has to be known of a file first.
  if (isFoundOut) await connection.run(reachable);
  const tables: string[] = [];
  for (const input of job.inputs) tables.push(await tableOf(connection, input, folder));
  const statements = [...(isFoundOut ? [] : [reachable]), ...tables, 'SET lock_configuration = true'];
  await connection.run(statements.join(';\n'));
  await setVariables(connection, job);
}

/** Gives it the tables of another job, with all else as it was prepared for the one before. */
export async function prepareAgain(connection: Connection, job: StepJob, folder: string): Promise<void> {
  const tables = await Promise.all(job.inputs.map((input) => tableOf(connection, input, folder)));
  if (tables.length > 0) await connection.run(tables.join(';\n'));
  await setVariables(connection, job);
}

/** They are the connection's, which is another one for each job. */
async function setVariables(connection: Connection, { variables = [] }: StepJob): Promise<void> {
  for (const { name, type, value } of variables)
    await connection.run(`SET VARIABLE ${identifier(name)} = CAST($1 AS ${type})`, [value]);
}

/** Takes the tables of a job away, as far as they are files. */
export async function forgetTables(connection: Connection, { inputs }: StepJob): Promise<void> {
  if (inputs.length === 0) return;
  await connection.run(inputs.map(({ name }) => `DROP VIEW ${identifier(name)}`).join(';\n'));
}

export const spillFolder = (folder: string): string => join(folder, folderNames.work, 'spill');

async function tableOf(connection: Connection, input: StepInput, folder: string): Promise<string> {
  if ('columns' in input) return emptyTable(input);
  return `CREATE VIEW ${identifier(input.name)} AS SELECT * FROM ${await readFile(connection, input, folder)}`;
}

async function readFile(
  connection: Connection,
  { file, format = 'parquet', csv = defaultCsvOptions, types }: Exclude<StepInput, EmptyTable>,
  folder: string,
): Promise<string> {
  const path = join(folder, file);
  if (format !== 'parquet' && format !== 'records' && !types) requireContent(path);
  switch (format) {
    case 'parquet':
      return `read_parquet(${quoted(path)})`;
    case 'csv':
      return readCsv(connection, path, csv);
    // All rows decide about the types: one odd value near the end makes a column text and not a failure.
    case 'jsonl':
      return `read_json(${quoted(path)}, format = 'newline_delimited', ${types ? known(types) : 'sample_size = -1'})`;
    case 'json':
      // The whole of it may be one object. Rows with many names, or with ever other ones, are rows and no dictionaries.
      return `read_json(${quoted(path)}, sample_size = -1, records = 'true', map_inference_threshold = -1, field_appearance_threshold = 0, ${wholeOf(path)})`;
    case 'document':
      return `read_json_objects(${quoted(path)}, format = 'unstructured', ${wholeOf(path)})`;
    case 'records':
      return `read_json(${quoted(path)}, format = 'newline_delimited', sample_size = -1, records = 'true')`;
  }
}

const known = (types: readonly Column[]): string =>
  `columns = {${types.map(({ name, type }) => `${quoted(name)}: ${quoted(type)}`).join(', ')}}`;

/** One value may be all that is in a file. */
const wholeOf = (path: string): string => `maximum_object_size = ${Math.max(1, statSync(path).size)}`;

export function emptyTable({ name, columns }: EmptyTable): string {
  const definitions = columns.map((column) => `${identifier(column.name)} ${column.type}`);
  return `CREATE TABLE ${identifier(name)} (${definitions.join(', ')})`;
}
