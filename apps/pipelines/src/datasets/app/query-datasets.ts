import { type ActorContext, type DomainError, invalidField, unavailable } from '@platform-backend/core';
import type { Payer, WithCredits } from '../../credits/domain/credits.ts';
import type { QueryExplain, StepLimits, StepRun } from '../../step-engine/domain/step-job.ts';
import type { DatasetStepReport, RunDatasetStep, StoredInput } from '../domain/dataset-steps.ts';
import type { DatasetVersion } from '../domain/dataset.ts';
import type { Datasets } from '../domain/datasets.ts';
import type { AskedSteps } from './asked-steps.ts';

/** That one query may name. */
const MAX_TABLES = 50;

export interface QueryPorts {
  readonly datasets: Datasets;
  readonly runDatasetStep: RunDatasetStep;
  readonly withCredits: WithCredits;
  readonly asked: AskedSteps;
  readonly limits: Omit<StepLimits, 'rows' | 'seconds'>;
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
export function datasetQueries({ datasets, runDatasetStep, withCredits, asked, limits }: QueryPorts) {
  const ask = (
    { organisationId }: ActorContext,
    { query, rows, explain }: QueryInput,
    run: Omit<StepRun<StoredInput>, 'onLog'>,
  ): Promise<DatasetStepReport> =>
    asked(organisationId, (seconds) => {
      const step = {
        kind: 'QUERY',
        inputs: [],
        query,
        output: null,
        limits: { ...limits, seconds, rows },
        ...(explain && { explain }),
      } as const;
      return runDatasetStep(organisationId, step, { ...run, onLog: () => undefined });
    });

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
const refused = (
  query: string,
  { code, message, position }: Pick<DatasetStepReport, 'code' | 'message' | 'position'>,
): DomainError => invalidField(['body', 'query'], message, query, { code, ...position });
