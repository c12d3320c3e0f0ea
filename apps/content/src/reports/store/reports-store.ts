import { outgoingEvents } from '@platform-backend/events';
import { documentStore, type Database, type Filter, type RecordOf } from '@platform-backend/mongo';
import type { Report } from '../domain/report.ts';
import type { ReportFilter, Reports } from '../domain/reports.ts';
import type { reportCollections } from './report-collections.ts';

type Schema = (typeof reportCollections)['reports'];

/** Stored beside what the report itself says. */
interface StoredReport extends Report {
  readonly deleted: boolean;
}

export function reportsStore(database: Database): Reports {
  const name = 'reports';
  const reports = documentStore<StoredReport, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);
  return {
    async find(organisationId, id) {
      const found = await reports.find(organisationId, id);
      return found && reportOf(found);
    },
    async list(organisationId, filter, { order, ...page }) {
      const listing = { filter: matching(filter), order, without: ['markdown'] };
      const found = await reports.page(organisationId, page, listing);
      return { ...found, items: found.items.map(reportOf) };
    },
    update: (by, id, decide) =>
      reports.update(by, id, (stored) => {
        const before = stored && reportOf(stored);
        const { state, ...decided } = decide(before);
        if (state === before) return { ...decided, state: stored };
        return { ...decided, state: state && { ...state, deleted: state.deletedAt !== null } };
      }),
    deletedBefore: (moment, limit) =>
      database.acrossOrganisations(async () => {
        const due = { deleted: true, deletedAt: { $lt: moment } };
        const found = await model
          .find(due, { _id: 1, organisationId: 1 })
          .sort({ deletedAt: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(({ _id, organisationId }) => ({ id: _id, organisationId }));
      }),
    removeAll: (organisationId) => reports.removeAll(organisationId, {}),
  };
}

const reportOf = ({ deleted: _deleted, ...report }: StoredReport): Report => report;

const matching = ({ search, authorId, deleted, createdAfter, createdBefore }: ReportFilter): Filter => ({
  deleted,
  ...(authorId !== undefined && { authorId }),
  ...((createdAfter ?? createdBefore) && {
    createdAt: { ...(createdAfter && { $gt: createdAfter }), ...(createdBefore && { $lt: createdBefore }) },
  }),
  ...(search !== '' && { title: { $regex: search.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), $options: 'i' } }),
});
