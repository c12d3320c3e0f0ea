import type { ActorContext, Decision, DomainError, Page, PageRequest } from '@platform-backend/core';
import type { DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import type { TranscriptionJob, TranscriptionJobStatus } from './transcription-job.ts';
import type { Transcription } from './transcription.ts';

export interface TranscriptionJobList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Any of them; empty: whatever it is. */
  readonly status: readonly TranscriptionJobStatus[];
  /** Of one user; null: everybody's. */
  readonly userId: string | null;
}

export interface JobRef {
  readonly organisationId: string;
  readonly id: string;
}

/** How a job ends, and what is kept and owed with that. */
export interface JobEnd {
  readonly decision: Decision<TranscriptionJob, ContentEvent>;
  readonly transcription?: Transcription | undefined;
  readonly debits: readonly DebitCreated[];
}

/** The jobs of organisations. */
export interface TranscriptionJobs {
  readonly find: (organisationId: string, id: string) => Promise<TranscriptionJob | undefined>;
  readonly list: (organisationId: string, wanted: TranscriptionJobList) => Promise<Page<TranscriptionJob>>;
  /** Makes one where fewer than `max` of the organisation are not over, also where several are made at once. */
  readonly create: <Result>(
    by: ActorContext,
    id: string,
    limit: { readonly max: number; readonly refusal: (values: { readonly max: number }) => DomainError },
    decide: () => Decision<TranscriptionJob, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (job: TranscriptionJob | undefined) => Decision<TranscriptionJob | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Ends a job, keeps what was transcribed and says what it cost, all in one transaction; undefined: nothing is to be ended. */
  readonly end: (
    by: ActorContext,
    id: string,
    decide: (job: TranscriptionJob | undefined) => JobEnd | undefined,
  ) => Promise<TranscriptionJob | undefined>;
  /** Of the organisations that have a job that is due the next one after this, round and round, with the one that is due longest. */
  readonly nextDue: (afterOrganisation: string, at: Date) => Promise<JobRef | undefined>;
  /** In how many milliseconds the first of all jobs is due; undefined: there is none that is not over. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /** Reservations of jobs that are not over, by organisation. */
  readonly reservations: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Removes some of those that ended before this time, and says how many. */
  readonly removeEnded: (before: Date) => Promise<number>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
