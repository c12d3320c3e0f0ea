import { storableText, type Page, type PageRequest } from '@platform-backend/core';
import { advisoryLock, listPage, type Knex } from '@platform-backend/postgres';
import type { LogLine, StepAttempt } from '../domain/run-engine.ts';
import type { StoredLogLine } from '../domain/runs.ts';

interface LogOf {
  readonly organisationId: string;
  readonly runId: string;
  /** Of one step alone. */
  readonly stepIndex: number | undefined;
}

interface LogRow {
  id: string;
  place: number;
  attempt: number;
  created_at: Date;
  text: string;
}

/** Lines that are there already stay as they are. Who reads on by their ids misses none: one at a time writes of a run. */
export async function appendLog(trx: Knex.Transaction, at: StepAttempt, lines: readonly LogLine[]): Promise<void> {
  const { organisationId, runId, stepIndex, attempt } = at;
  await advisoryLock(trx, `log of ${runId}`);
  await trx('run_logs')
    .insert(
      lines.map(({ number, at: time, text }) => ({
        ...{ organisation_id: organisationId, run_id: runId, place: stepIndex, attempt, number },
        ...{ created_at: time, text: storableText(text) },
      })),
    )
    .onConflict()
    .ignore();
}

export const listLog = (trx: Knex.Transaction, which: LogOf, page: PageRequest): Promise<Page<StoredLogLine>> =>
  listPage(linesOf(trx, which), page, { order: 'asc', read: (rows: readonly LogRow[]) => rows.map(lineOfRow) });

export async function logAfter(
  trx: Knex.Transaction,
  which: LogOf,
  after: string,
  limit: number,
): Promise<readonly StoredLogLine[]> {
  const rows = await linesOf(trx, which).where('id', '>', after).orderBy('id').limit(limit);
  return rows.map(lineOfRow);
}

function linesOf(trx: Knex.Transaction, { organisationId, runId, stepIndex }: LogOf) {
  const lines = trx('run_logs').where({ organisation_id: organisationId, run_id: runId });
  if (stepIndex !== undefined) void lines.where({ place: stepIndex });
  return lines.select('id', 'place', 'attempt', 'created_at', 'text') as Knex.QueryBuilder<object, LogRow[]>;
}

const lineOfRow = ({ created_at: createdAt, place: stepIndex, ...row }: LogRow): StoredLogLine => ({
  ...row,
  createdAt,
  stepIndex,
});
