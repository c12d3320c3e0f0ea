/**
 * The engine of a job. As a rule it has done nothing before, and is closed afterwards. Jobs of a chain, which see each other's data
 * anyway, have one engine one after the other: to open one takes longer than to do a small job. What a query can leave in it is taken
 * away between them, and where that is not certain it is closed.
 */
import { readdirSync } from 'node:fs';
import type { StepJob } from '../domain/step-job.ts';
import { fileNames } from '../domain/step-messages.ts';
import {
  forgetTables,
  openDuckDb,
  prepareAgain,
  prepareDuckDb,
  spillFolder,
  type Connection,
  type Engine,
} from './duckdb.ts';

/** Which files it may read and write is settled with its first job: each of them costs a moment, 90 of them 3 ms. */
const [MAX_JOBS, MAX_INPUTS] = [6, 4];

interface Chain {
  readonly id: string;
  readonly limits: StepJob['limits'];
  readonly firstJob: number;
}

export interface JobEngine {
  readonly engine: Engine;
  /** Where it has been prepared for more than one job. */
  readonly chain?: Chain;
  readonly latest?: StepJob;
}

export const newEngine = async (): Promise<JobEngine> => ({ engine: await openDuckDb() });

/** The engine for a job: this one, or another one that takes its place. */
export async function engineFor(present: JobEngine, job: StepJob, number: number): Promise<JobEngine> {
  const { chain } = present;
  if (chain && mayContinue(chain, job, number)) return { ...present, latest: job };
  if (chain) present.engine.close();
  const fresh = chain ? await newEngine() : present;
  return job.chain?.goesOn && isPlain(job)
    ? { ...fresh, chain: { id: job.chain.id, limits: job.limits, firstJob: number }, latest: job }
    : fresh;
}

export function prepareEngine(
  { engine, chain }: JobEngine,
  job: StepJob,
  number: number,
  folder: string,
): Promise<void> {
  if (!chain) return prepareDuckDb(engine.connection, job, folder);
  if (chain.firstJob < number) return prepareAgain(engine.connection, job, folder);
  return prepareDuckDb(engine.connection, job, folder, laterFiles(number));
}

/** For the next job of the chain, without anything of the latest; undefined: it is closed, as none may follow or more than that is in it. */
export async function cleanedEngine(
  present: JobEngine,
  folder: string,
  isHeld: boolean,
): Promise<JobEngine | undefined> {
  const { engine, chain, latest } = present;
  if (chain && latest?.chain?.goesOn && !isHeld && !hasSpilt(folder)) {
    await forgetTables(engine.connection, latest);
    if (!(await logs(engine.connection))) return { ...present, engine: await engine.reconnect() };
  }
  engine.close();
  return undefined;
}

/** What is logged is the engine's, and any query may turn it on. */
async function logs(connection: Connection): Promise<boolean> {
  const [row = []] = (await connection.runAndReadAll("SELECT current_setting('enable_logging')")).getRowsJson();
  return Number(row[0]) !== 0;
}

const mayContinue = ({ id, limits, firstJob }: Chain, job: StepJob, number: number): boolean =>
  job.chain?.id === id &&
  isPlain(job) &&
  number < firstJob + MAX_JOBS &&
  job.limits.memoryBytes === limits.memoryBytes &&
  job.limits.threads === limits.threads;

/** All that it reads are whole tables in files, and nothing stays beside what it writes. */
const isPlain = ({ kind, inputs, output }: StepJob): boolean =>
  (kind === 'TRANSFORM' || kind === 'CHECK') &&
  !output?.onto &&
  inputs.length <= MAX_INPUTS &&
  inputs.every((input) => 'file' in input && (input.format ?? 'parquet') === 'parquet');

/** Of all jobs that may follow this one. */
const laterFiles = (number: number): string[] =>
  Array.from({ length: MAX_JOBS - 1 }, (_, index) => number + 1 + index).flatMap((job) => [
    ...Array.from({ length: MAX_INPUTS }, (_, index) => fileNames.input(job, index)),
    fileNames.output(job),
  ]);

/** Files of its own that it still has open. */
const hasSpilt = (folder: string): boolean => readdirSync(spillFolder(folder)).length > 0;
