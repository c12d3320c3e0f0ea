import type { ActorContext, ChangeNotice, Decision, Page, PageRequest } from '@platform-backend/core';
import type { Decide, NotebooksEvent } from '../../events.ts';
import type { NotebookRun } from './notebook-run.ts';

/** One that somebody has to look after. */
export interface DueRun {
  readonly organisationId: string;
  readonly id: string;
}

/** Where runs are kept. Every change commits together with its events. NOT_FOUND: no such run. */
export interface NotebookRuns {
  /** The runs of an organisation are added one after the other; one that is there already stays as it is. */
  readonly add: (
    by: ActorContext,
    runId: string,
    content: string,
    decide: (open: number) => Decision<NotebookRun, NotebooksEvent>,
  ) => Promise<NotebookRun>;
  readonly get: (organisationId: string, notebookId: string, runId: string) => Promise<NotebookRun>;
  /** Newest first. NOT_FOUND: no such notebook. */
  readonly list: (organisationId: string, notebookId: string, page: PageRequest) => Promise<Page<NotebookRun>>;
  /** Tells of its changes. */
  readonly noticeOf: (organisationId: string, runId: string) => ChangeNotice;
  /** With a result when there is one. */
  readonly update: (
    by: ActorContext,
    runId: string,
    decide: Decide<NotebookRun>,
    result?: string,
  ) => Promise<NotebookRun>;
  /** JSON. */
  readonly contentOf: (organisationId: string, runId: string) => Promise<string>;
  /** JSON; null while there is none. */
  readonly resultOf: (organisationId: string, runId: string) => Promise<string | null>;
  /** Longest waiting first. */
  readonly due: (at: Date, limit: number) => Promise<readonly DueRun[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /** Removes some of those that were over by then, with their results; answers how many. */
  readonly removeEnded: (before: Date, limit: number) => Promise<number>;
}
