import {
  changedFields,
  created,
  decided,
  invalidField,
  unchanged,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import { reportChanged, reportNotFound } from './errors.ts';

/** What somebody has written for others to read, in Markdown. */
export interface Report {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  /** The user who created it, or for whom an API key did; null for a service. */
  readonly authorId: string | null;
  /** The message that it was made of; null: none. */
  readonly messageId: string | null;
  /** The run of a pipeline that it was made of; null: none. */
  readonly runId: string | null;
  /** One more with every change of what it says. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null unless deleted. */
  readonly deletedAt: Date | null;
}

/** Milliseconds for which a deleted report can be restored. */
export const restorableMs = 30 * 24 * 3_600_000;

/** What a report is to be made of. */
export interface ReportInput {
  readonly title?: string;
  /** This, a message or a run. */
  readonly markdown?: string;
  readonly messageId?: string;
  readonly run?: RunReference;
}

export interface RunReference {
  readonly pipelineId: string;
  readonly runId: string;
}

export type ReportSource =
  | { readonly markdown: string }
  | { readonly messageId: string }
  | { readonly run: RunReference };

/** INVALID: none, or more than one. */
export function sourceOf(wanted: ReportInput): ReportSource {
  const { markdown, messageId, run } = wanted;
  const [source, ...others]: ReportSource[] = [
    ...(markdown === undefined ? [] : [{ markdown }]),
    ...(messageId === undefined ? [] : [{ messageId }]),
    ...(run === undefined ? [] : [{ run }]),
  ];
  if (source && others.length === 0) return source;
  const error = 'give one of markdown, message_id and run';
  throw invalidField(['body'], error, asSent(wanted), { error });
}

/** Of what was sent an error shows so much. */
const MAX_SHOWN = 1024;

/** The body of the request, with the names that it has there and of a long text its beginning. */
const asSent = ({ title, markdown, messageId, run }: ReportInput): Record<string, unknown> => ({
  ...(title !== undefined && { title }),
  ...(markdown !== undefined && { markdown: beginning(markdown) }),
  ...(messageId !== undefined && { message_id: messageId }),
  ...(run && { run: { pipeline_id: run.pipelineId, run_id: run.runId } }),
});

const beginning = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;

const MAX_TITLE_LENGTH = 200;

/** The first line that says something, without the marks of a heading. */
export const titleOf = (markdown: string): string =>
  /[^\s#>*_`~|=-].*/
    .exec(markdown)?.[0]
    // Of a line that may be all of the report no more is looked at than a title and its marks can need.
    .slice(0, 2 * MAX_TITLE_LENGTH)
    .replaceAll(/[*_`~]+/g, '')
    .replace(/[\s#]+$/, '')
    .slice(0, MAX_TITLE_LENGTH)
    .toWellFormed()
    .trim() || 'Report';

export const createReport = (report: Report): Decision<Report, ContentEvent> =>
  created(
    'report.created',
    report,
    report.createdAt,
    { report_id: report.id, title: report.title, author_id: report.authorId },
    shown(report),
  );

export interface ChangeReport {
  readonly title?: string;
  readonly markdown?: string;
}

/**
 * Changes the fields given; the same values again change nothing. CONFLICT: the report has another revision than the one that
 * is known to whoever changes it.
 */
export function changeReport(
  report: Report,
  wanted: ChangeReport,
  known: number | undefined,
  at: Date,
): Decision<Report, ContentEvent> {
  if (known !== undefined && known !== report.revision) {
    throw reportChanged();
  }
  const changed = Object.keys(changedFields({ ...report }, { ...wanted }).after);
  if (changed.length === 0) return unchanged(report);
  const next: Report = { ...report, ...wanted, revision: report.revision + 1, updatedAt: at };
  return decided(next, {
    name: 'report.updated',
    subject: next.id,
    at,
    data: { report_id: next.id, title: next.title, version: next.revision, changed_fields: changed },
    change: changedFields(shown(report), shown(next)),
  });
}

/** It can still be restored, see `restorableMs`. */
export function deleteReport(report: Report, at: Date): Decision<Report, ContentEvent> {
  const deleted: Report = { ...report, deletedAt: at };
  return decided(deleted, {
    name: 'report.deleted',
    subject: report.id,
    at,
    data: { report_id: report.id },
    change: { before: shown(report), after: null },
  });
}

/** Takes a deletion back. Repeating it is safe. NOT_FOUND: deleted for too long. */
export function restoreReport(report: Report, at: Date): Decision<Report, ContentEvent> {
  if (report.deletedAt === null) return unchanged(report);
  if (isGone(report, at)) throw reportNotFound();
  const restored: Report = { ...report, deletedAt: null };
  return created('report.restored', restored, at, { report_id: report.id, title: report.title }, shown(restored));
}

/** Ends a report that was deleted for long enough; one that was restored meanwhile stays. */
export function purgeReport(report: Report | undefined, at: Date): Decision<Report | undefined, ContentEvent> {
  if (!report || !isGone(report, at)) return unchanged(report);
  const event = { name: 'report.purged', subject: report.id, at, data: { report_id: report.id } } as const;
  return decided(undefined, event);
}

const isGone = ({ deletedAt }: Report, at: Date): boolean =>
  deletedAt !== null && at.getTime() - deletedAt.getTime() >= restorableMs;

/** What the audit log shows of it: of a long text how long it is. */
const shown = ({ title, markdown, authorId }: Report): Fields => ({
  title,
  markdown_length: markdown.length,
  author_id: authorId,
});
