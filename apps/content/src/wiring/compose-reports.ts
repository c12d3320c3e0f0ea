import { newId, type Clock, type Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import { reportHandlers } from '../api/report-handlers.ts';
import { purgeReports } from '../app/purge-reports.ts';
import { reportUseCases } from '../app/reports.ts';
import type { ReadMessage, ReadRun } from '../domain/reports/reports.ts';
import { reportPages } from '../rendering/report-pages.ts';
import { reportsStore } from '../store/reports-store.ts';

interface Parts {
  readonly database: Database;
  /** What others have said. */
  readonly readMessage: ReadMessage;
  /** What pipelines have done. */
  readonly readRun: ReadRun;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly defer: (close: () => Promise<void>) => void;
}

/** Reports, put together. */
export function composeReports({ database, readMessage, readRun, clock, logger, defer }: Parts) {
  const reports = reportsStore(database);
  const pages = reportPages();
  defer(pages.close);
  return {
    handlers: { ReportService: reportHandlers(reportUseCases({ reports, readMessage, readRun, pages, clock, newId })) },
    removeAll: reports.removeAll,
    repeated: [
      {
        name: 'the end of deleted reports',
        everyMs: 60_000,
        run: (stopping: AbortSignal) => purgeReports({ reports, clock, newId, logger }, stopping),
      },
    ],
  };
}
