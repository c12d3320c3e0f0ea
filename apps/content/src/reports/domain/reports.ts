import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import type { ReportedMessage } from './message-report.ts';
import type { Report, RunReference } from './report.ts';
import type { FinishedRun } from './run-report.ts';

export type ReportSummary = Omit<Report, 'markdown'>;

export interface ReportFilter {
  /** In the title, whatever the case; empty: any. */
  readonly search: string;
  /** Undefined: anybody's. */
  readonly authorId?: string;
  readonly deleted: boolean;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

export interface ReportList extends PageRequest {
  readonly order: 'asc' | 'desc';
}

/** The reports of organisations, deleted ones too for as long as they can be restored. */
export interface Reports {
  readonly find: (organisationId: string, id: string) => Promise<Report | undefined>;
  readonly list: (organisationId: string, filter: ReportFilter, page: ReportList) => Promise<Page<ReportSummary>>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (report: Report | undefined) => Decision<Report | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Of all organisations, some that were deleted before. */
  readonly deletedBefore: (
    moment: Date,
    limit: number,
  ) => Promise<readonly { readonly organisationId: string; readonly id: string }[]>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}

/** What a message says, to whoever may read it. NOT_FOUND: there is none, or the caller may not. */
export type ReadMessage = (by: ActorContext, id: string) => Promise<ReportedMessage>;

/** How a run of a pipeline went. NOT_FOUND: there is none. CONFLICT: it is not over. UNAVAILABLE: who knows it is away. */
export type ReadRun = (by: ActorContext, run: RunReference) => Promise<FinishedRun>;

/** Makes pages of a report. CONFLICT: it takes too much time or memory. UNAVAILABLE: too many others are wanted at once. */
export interface ReportPages {
  readonly html: (organisationId: string, report: Report) => Promise<Buffer>;
  readonly pdf: (organisationId: string, report: Report) => Promise<Buffer>;
}
