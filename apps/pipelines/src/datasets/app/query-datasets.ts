import { invalid, rateLimited, remainingDeadlineMs, unavailable, type ActorContext } from '@platform-backend/core';
import type { Payer, WithCredits } from '../../credits/domain/credits.ts';
import type { QueryExplain, StepLimits, StepRun } from '../../step-engine/domain/step-job.ts';
import type { DatasetStepReport, RunDatasetStep, StoredInput } from '../domain/dataset-steps.ts';
import type { DatasetVersion } from '../domain/dataset.ts';
import type { Datasets } from '../domain/datasets.ts';

/** Of one organisation at a time in this process, those that wait among them. */
const MAX_AT_ONCE = 4;
/** Kept of what its caller waits, so that a query that takes too long says so before nobody listens any more. */
const ANSWER_MS = 500;
const MIN_SECONDS = 0.1;
/** That one query may name. */
const MAX_TABLES = 50;

export interface QueryPorts {
  readonly datasets: Datasets;
  readonly runDatasetStep: RunDatasetStep;
  readonly withCredits: WithCredits;
  readonly limits: Omit<StepLimits, 'rows'>;
}

export type DatasetQueries = ReturnType<typeof datasetQueries>;

export type QueryAnswer = Pick<DatasetStepReport, 'columns' | 'rows' | 'isCut' | 'seconds' | 'plan'>;

/** What is wanted of a query. */
export interface QueryInput {
  readonly query: string;
  /** The most that are answered. */
  readonly rows: number;
  /** Null: its rows. */
  readonly explain: QueryExplain | null;
}

/** Queries that somebody waits for. */
export function datasetQueries({ datasets, runDatasetStep, withCredits, limits }: QueryPorts) {
  const running = new Map<string, number>();

  async function ask(
    { organisationId }: ActorContext,
    { query, rows, explain }: QueryInput,
    run: Omit<StepRun<StoredInput>, 'onLog'>,
  ): Promise<DatasetStepReport> {
    const others = running.get(organisationId) ?? 0;
    if (others >= MAX_AT_ONCE) throw rateLimited(1);
    running.set(organisationId, others + 1);
    try {
      const step = {
        kind: 'QUERY',
        inputs: [],
        query,
        output: null,
        limits: { ...limits, seconds: secondsLeft(), rows },
        ...(explain && { explain }),
      } as const;
      const report = await runDatasetStep(organisationId, step, { ...run, onLog: () => undefined });
      if (report.outcome === 'ERROR') throw unavailable(new Error(report.message), 1);
      return report;
    } finally {
      const left = (running.get(organisationId) ?? 1) - 1;
      if (left === 0) running.delete(organisationId);
      else running.set(organisationId, left);
    }
  }

  /** One deadline: the setting's, or the caller's where that comes first. In tenths of seconds. */
  function secondsLeft(): number {
    const left = Math.floor((remainingDeadlineMs() - ANSWER_MS) / 100) / 10;
    return Math.min(limits.seconds, Math.max(MIN_SECONDS, left));
  }

  return {
    /** PAYMENT_REQUIRED: there are no credits, though it costs none. */
    async query(by: Payer, input: QueryInput, signal: AbortSignal): Promise<QueryAnswer> {
      const { query } = input;
      const findInputs = async (tables: readonly string[]) => {
        const names = [...new Map(tables.map((table) => [table.toLowerCase(), table])).values()];
        if (names.length > MAX_TABLES)
          throw refused(query, {
            code: 'too_many_datasets',
            message: `A query is about at most ${MAX_TABLES} datasets`,
          });
        const found = await datasets.findMany(by.organisationId, names);
        return [...found].flatMap(([name, { currentVersion }]) =>
          currentVersion ? [{ name, objectKey: currentVersion.objectKey }] : [],
        );
      };
      const report = await withCredits(by, () => ask(by, input, { signal, findInputs }));
      if (report.outcome === 'FAILED') throw refused(query, report);
      return report;
    },

    async preview(
      by: ActorContext,
      { objectKey }: DatasetVersion,
      rows: number,
      signal: AbortSignal,
    ): Promise<QueryAnswer> {
      const findInputs = () => Promise.resolve([{ name: 'version', objectKey }]);
      const input = { query: 'SELECT * FROM version', rows, explain: null };
      const report = await ask(by, input, { signal, findInputs });
      if (report.outcome === 'FAILED') throw unavailable(new Error(report.message));
      return report;
    },
  };
}

/** As any other value of a request that cannot be. */
function refused(query: string, { code, message, position }: Pick<DatasetStepReport, 'code' | 'message' | 'position'>) {
  const msg = `Value error, ${message}`;
  return invalid([{ type: 'value_error', loc: ['body', 'query'], msg, input: query, ctx: { code, ...position } }]);
}
