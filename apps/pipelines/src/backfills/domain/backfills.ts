import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { Backfill, BackfillRuns, BackfillStatus } from './backfill.ts';

/** With what has become of its runs. */
export interface CountedBackfill {
  /** In lists without its values. */
  readonly backfill: Backfill;
  /** How many values there are. */
  readonly total: number;
  readonly runs: BackfillRuns;
}

export interface BackfillRef {
  readonly organisationId: string;
  readonly id: string;
}

export interface BackfillPage extends PageRequest {
  readonly order: 'asc' | 'desc';
}

/** Where backfills are kept. */
export interface Backfills {
  readonly find: (organisationId: string, id: string) => Promise<CountedBackfill | undefined>;
  /** NOT_FOUND: no such backfill of this pipeline. */
  readonly get: (organisationId: string, pipelineId: string, id: string) => Promise<CountedBackfill>;
  readonly list: (
    organisationId: string,
    pipelineId: string,
    statuses: readonly BackfillStatus[],
    page: BackfillPage,
  ) => Promise<Page<CountedBackfill>>;
  /** `decide` is told how many of the organisation go on. One whose id is known already stays as it is. */
  readonly add: (
    by: ActorContext,
    id: string,
    decide: (open: number) => Decision<Backfill, PipelinesEvent>,
  ) => Promise<Backfill>;
  /** `decide` sees the locked backfill. */
  readonly change: (
    by: ActorContext,
    id: string,
    decide: (backfill: Backfill) => Decision<Backfill, PipelinesEvent>,
  ) => Promise<Backfill>;
  /** Whether there is anything to look after in any organisation. */
  readonly hasOpen: () => Promise<boolean>;
  /** Those of all organisations that go on, by their ids after this one. */
  readonly open: (after: string, limit: number) => Promise<readonly BackfillRef[]>;
  /** Removes those that were over by then, a part of them at a time; answers how many. */
  readonly removeEnded: (before: Date) => Promise<number>;
  /** Runs that go on of backfills that were cancelled. */
  readonly unwantedRuns: (limit: number) => Promise<readonly { organisationId: string; runId: string }[]>;
}
