import type { RunServiceClient } from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { ConversationsExports } from '../conversations/area.ts';
import type { ContentContext, service } from '../service.ts';
import { reportHandlers } from './api/report-handlers.ts';
import { purgeReports } from './app/purge-reports.ts';
import { reportUseCases } from './app/reports.ts';
import { pipelinesRuns } from './clients/pipelines-runs.ts';
import { reportPages } from './rendering/report-pages.ts';
import { reportsStore } from './store/reports-store.ts';

/** Reports: written, or made of a message or a run, and shown as pages. */
export const reportsArea = (
  { storage, clock, logger, client, defer }: ContentContext,
  { conversations: { readMessage } }: { readonly conversations: ConversationsExports },
) => {
  const reports = reportsStore(storage.database);
  const readRun = pipelinesRuns(client<RunServiceClient<CallOptions>>('platform.pipelines.v1.RunService'));
  const pages = reportPages();
  defer(pages.close);
  return {
    handlers: { ReportService: reportHandlers(reportUseCases({ reports, readMessage, readRun, pages, clock })) },
    jobs: [
      {
        name: 'the end of deleted reports',
        everyMs: 60_000,
        run: (stopping) => purgeReports({ reports, clock, logger }, stopping),
      },
    ],
    exports: { removeAll: reports.removeAll },
  } satisfies Area<typeof service.declaration>;
};
