import { includesLevel, newId, type ActorContext, type Clock, type Page } from '@platform-backend/core';
import { reportNotFound } from '../domain/errors.ts';
import { markdownOf } from '../domain/message-report.ts';
import {
  changeReport,
  createReport,
  deleteReport,
  restoreReport,
  sourceOf,
  titleOf,
  type ChangeReport,
  type Report,
  type ReportSource,
  type ReportInput,
} from '../domain/report.ts';
import type {
  ReadMessage,
  ReadRun,
  ReportFilter,
  ReportList,
  ReportPages,
  Reports,
  ReportSummary,
} from '../domain/reports.ts';
import { markdownOfRun } from '../domain/run-report.ts';

export interface ReportPorts {
  readonly reports: Reports;
  readonly readMessage: ReadMessage;
  readonly readRun: ReadRun;
  readonly pages: ReportPages;
  readonly clock: Clock;
}

export type ReportUseCases = ReturnType<typeof reportUseCases>;

/** Below level ADMIN others' reports are NOT_FOUND, and so are deleted ones for everything but their restoration. */
export const reportUseCases = ({ reports, readMessage, readRun, pages, clock }: ReportPorts) => {
  async function getReport(by: ActorContext, id: string): Promise<Report> {
    return present(by, await reports.find(by.organisationId, id));
  }

  async function markdownFrom(by: ActorContext, source: ReportSource): Promise<string> {
    if ('markdown' in source) return source.markdown;
    if ('run' in source) return markdownOfRun(await readRun(by, source.run));
    return markdownOf(await readMessage(by, source.messageId));
  }

  return {
    /** NOT_FOUND: there is no such message or run, for this caller. */
    async createReport(by: ActorContext, wanted: ReportInput): Promise<Report> {
      const source = sourceOf(wanted);
      const markdown = await markdownFrom(by, source);
      const [id, at] = [newId(), clock.now()];
      const report: Report = {
        id,
        title: wanted.title ?? titleOf(markdown),
        markdown,
        authorId: by.actor.userId,
        messageId: 'messageId' in source ? source.messageId : null,
        runId: 'run' in source ? source.run.runId : null,
        revision: 1,
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
      };
      return reports.update(by, id, () => createReport(report));
    },

    listReports(by: ActorContext, filter: ReportFilter, page: ReportList): Promise<Page<ReportSummary>> {
      if (mayAny(by)) return reports.list(by.organisationId, filter, page);
      const own = by.actor.userId ?? '';
      // Somebody else's are none, for this caller.
      if (filter.authorId !== undefined && filter.authorId !== own) {
        return Promise.resolve({ items: [], nextCursor: '', ...(page.includeTotal && { total: 0 }) });
      }
      return reports.list(by.organisationId, { ...filter, authorId: own }, page);
    },

    getReport,

    updateReport: (by: ActorContext, id: string, wanted: ChangeReport, known: number | undefined): Promise<Report> =>
      reports.update(by, id, (report) => changeReport(present(by, report), wanted, known, clock.now())),

    deleteReport: (by: ActorContext, id: string): Promise<Report> =>
      reports.update(by, id, (report) => deleteReport(present(by, report), clock.now())),

    restoreReport: (by: ActorContext, id: string): Promise<Report> =>
      reports.update(by, id, (report) => restoreReport(visible(by, report), clock.now())),

    reportHtml: async (by: ActorContext, id: string): Promise<Buffer> =>
      pages.html(by.organisationId, await getReport(by, id)),

    reportPdf: async (by: ActorContext, id: string): Promise<Buffer> =>
      pages.pdf(by.organisationId, await getReport(by, id)),
  };
};

const mayAny = ({ actor }: ActorContext): boolean => includesLevel(actor.level, 'ADMIN');

function visible(by: ActorContext, report: Report | undefined): Report {
  if (!report || !(mayAny(by) || (report.authorId !== null && report.authorId === by.actor.userId))) {
    throw reportNotFound();
  }
  return report;
}

function present(by: ActorContext, report: Report | undefined): Report {
  const found = visible(by, report);
  if (found.deletedAt !== null) throw reportNotFound();
  return found;
}
