import { newId, type Clock, type Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import { reportHandlers } from '../reports/api/report-handlers.ts';
import { purgeReports } from '../reports/app/purge-reports.ts';
import { reportUseCases } from '../reports/app/reports.ts';
import type { ReadMessage, ReadRun } from '../reports/domain/reports.ts';
import { reportPages } from '../reports/rendering/report-pages.ts';
import { reportsStore } from '../reports/store/reports-store.ts';

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
