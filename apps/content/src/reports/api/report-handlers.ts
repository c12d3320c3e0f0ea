import { loadContract, type DomainContract } from '@platform-backend/contract';
import {
  contentContract,
  type ListReportsRequest,
  type ReportInput,
  type ReportServiceHandlers,
  type ReportSummaryInput,
} from '@platform-backend/contract-content';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { requireVisible } from '@platform-backend/core';
import { fieldsGiven, listAnswer, requireOperation, type CallContext } from '@platform-backend/grpc';
import type { ReportUseCases } from '../app/reports.ts';
import type { Report } from '../domain/report.ts';
import type { ReportFilter, ReportSummary } from '../domain/reports.ts';

export const reportHandlers = (app: ReportUseCases): ReportServiceHandlers<CallContext> => ({
  async createReport({ title, markdown, messageId, run }, context) {
    requireVisible('body', { title, markdown });
    const wanted = {
      ...(title !== null && { title }),
      ...(markdown !== null && { markdown }),
      ...(messageId !== null && { messageId }),
      ...(run && { run }),
    };
    if (messageId !== null) requireAccess(context, contentContract, 'platform.content.v1.MessageService/GetMessage');
    if (run) requireAccess(context, pipelinesContract, 'platform.pipelines.v1.RunService/GetRun');
    return reportMessage(await app.createReport(context.actorContext(), wanted));
  },

  async listReports(request, context) {
    const page = await app.listReports(context.actorContext(), filterOf(request), request);
    return listAnswer('reports', page, summaryMessage);
  },

  getReport: async ({ reportId }, context) => reportMessage(await app.getReport(context.actorContext(), reportId)),

  async updateReport({ reportId, title, markdown, version, updateMask }, context) {
    const wanted = fieldsGiven(updateMask, { title, markdown });
    requireVisible('body', wanted);
    return reportMessage(await app.updateReport(context.actorContext(), reportId, wanted, version ?? undefined));
  },

  async deleteReport({ reportId }, context) {
    const { id } = await app.deleteReport(context.actorContext(), reportId);
    return { id, deleted: true };
  },

  restoreReport: async ({ reportId }, context) =>
    reportMessage(await app.restoreReport(context.actorContext(), reportId)),

  getReportHtml: async ({ reportId }, context) => ({
    content: await app.reportHtml(context.actorContext(), reportId),
  }),

  getReportPdf: async ({ reportId }, context) => ({ content: await app.reportPdf(context.actorContext(), reportId) }),
});

/** What a report is made of is read with the rights of the caller: a key that is limited to reports reads nothing else by them. */
function requireAccess({ caller }: CallContext, contract: DomainContract, operation: string): void {
  requireOperation(caller, loadContract(contract), operation);
}

const filterOf = ({ search, authorId, deleted, createdAfter, createdBefore }: ListReportsRequest): ReportFilter => ({
  search,
  deleted: deleted ?? false,
  ...(authorId !== '' && { authorId }),
  ...(createdAfter && { createdAfter }),
  ...(createdBefore && { createdBefore }),
});

const reportMessage = ({ markdown, ...report }: Report): ReportInput => {
  const { deletedAt: _deletedAt, ...message } = summaryMessage(report);
  return { ...message, markdown };
};

const summaryMessage = ({ authorId, revision, ...report }: ReportSummary): ReportSummaryInput => ({
  ...report,
  authorId: authorId ?? '',
  version: revision,
});
