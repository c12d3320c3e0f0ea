import { newId, type ActorContext, type Clock, type Page, type PageRequest } from '@platform-backend/core';
import { serviceActorContext } from '@platform-backend/core';
import type { Credits, Payer } from '../../credits/domain/credits.ts';
import { tooManyTranscriptionJobs } from '../domain/errors.ts';
import type { LongRecordings } from '../domain/long-recordings.ts';
import type { SpeechRecogniser } from '../domain/speech.ts';
import {
  createJob,
  endJob,
  heardBy,
  isOver,
  jobSeenBy,
  payerOfJob,
  type Ending,
  type RecordingBytes,
  type TranscriptionJob,
  type TranscriptionJobStatus,
} from '../domain/transcription-job.ts';
import type { JobEnd, TranscriptionJobs } from '../domain/transcription-jobs.ts';
import { seesAll, transcriptionOf } from '../domain/transcription.ts';

/** Credits that stay set aside whichever process works: for less than a minute, unless somebody extends that. */
export interface JobCredits extends Credits {
  readonly hold: (payer: Payer, reservationId: string, micros: bigint) => Promise<void>;
  readonly extend: (organisationId: string, reservationIds: readonly string[]) => Promise<void>;
  readonly release: (organisationId: string, reservationId: string) => Promise<void>;
}

export interface JobPorts {
  readonly jobs: TranscriptionJobs;
  readonly recogniser: SpeechRecogniser;
  readonly recordings: LongRecordings;
  /** The bytes of a document, for whoever may open it. NOT_FOUND: not for them. CONFLICT: they are not here. */
  readonly recordingOf: (
    by: ActorContext,
    documentId: string,
  ) => Promise<{ readonly name: string; readonly recording: RecordingBytes }>;
  readonly credits: JobCredits;
  /** What a second of sound costs. */
  readonly microsPerSecond: bigint;
  readonly clock: Clock;
  /** Has what is due done soon. */
  readonly wake: () => void;
}

/** Of one organisation that are not over. */
const OPEN_JOBS = {
  max: 100,
  refusal: ({ max }: { readonly max: number }) => tooManyTranscriptionJobs({ limit: max }),
};

/** For so long it is told how a job ended, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

export type TranscriptionJobUseCases = ReturnType<typeof transcriptionJobUseCases>;

export function transcriptionJobUseCases(ports: JobPorts) {
  const { jobs, recogniser, recordings, recordingOf, credits, microsPerSecond, clock, wake } = ports;
  return {
    /** PAYMENT_REQUIRED: there are no credits; what it takes in all is set aside when it is known how long it is. */
    async createJob(
      by: Payer,
      { documentId, language }: { readonly documentId: string; readonly language: string | null },
    ): Promise<TranscriptionJob> {
      const { name, recording } = await recordingOf(by, documentId);
      recogniser.requireInstalled();
      recordings.requireInstalled();
      if (microsPerSecond > 0n) await (await credits.reserve(by, microsPerSecond)).release();
      const wanted = {
        ...{ id: newId(), transcriptionId: newId(), debitId: newId() },
        ...{ documentId, filename: name, recording, language },
        ...{ userId: by.actor.userId ?? by.actor.id, payer: payerOfJob(by, by.actor) },
      };
      const job = await jobs.create(by, wanted.id, OPEN_JOBS, () => createJob(wanted, clock.now()));
      wake();
      return job;
    },

    /** Newest or oldest first; below level ADMIN the caller's own ones. */
    listJobs: (
      { organisationId, actor }: ActorContext,
      wanted: PageRequest & { readonly order: 'asc' | 'desc'; readonly status: readonly TranscriptionJobStatus[] },
    ): Promise<Page<TranscriptionJob>> =>
      jobs.list(organisationId, { ...wanted, userId: seesAll(actor) ? null : (actor.userId ?? actor.id) }),

    getJob: async ({ organisationId, actor }: ActorContext, id: string): Promise<TranscriptionJob> =>
      jobSeenBy(await jobs.find(organisationId, id), actor),

    async cancelJob(by: ActorContext, id: string): Promise<TranscriptionJob> {
      const ended = await endingOf(ports)(by, id, (job) =>
        isOver(jobSeenBy(job, by.actor)) ? undefined : { status: 'CANCELLED' },
      );
      return ended ?? jobSeenBy(await jobs.find(by.organisationId, id), by.actor);
    },

    /** Has credits of jobs that are not over stay set aside: of no organisation later because of another one. */
    async extendReservations(): Promise<void> {
      const reserved = await jobs.reservations();
      await Promise.all([...reserved].map(([organisationId, ids]) => credits.extend(organisationId, ids)));
    },

    untilDue: (): Promise<number | undefined> => jobs.untilDue(clock.now()),

    async removeEnded(stopping: AbortSignal): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_MS);
      while (!stopping.aborted && (await jobs.removeEnded(before)) > 0);
    },
  };
}

type EndPorts = Pick<JobPorts, 'jobs' | 'credits' | 'microsPerSecond' | 'clock' | 'recogniser'>;

/** Ends a job with what was transcribed and what that costs; what is not owed is given back. Undefined: there is nothing to end. */
export const endingOf =
  ({ jobs, credits, microsPerSecond, clock, recogniser }: EndPorts) =>
  async (
    by: ActorContext,
    id: string,
    decide: (job: TranscriptionJob | undefined) => Ending | undefined,
  ): Promise<TranscriptionJob | undefined> => {
    let given: string | undefined;
    const ended = await jobs.end(by, id, (job): JobEnd | undefined => {
      given = undefined;
      const ending = decide(job);
      if (!job || !ending) return undefined;
      const at = clock.now();
      const decision = endJob(job, ending, at);
      if (!decision.state.hasTranscription) {
        given = job.reservationId;
        return { decision, debits: [] };
      }
      const made = { id: job.transcriptionId, filename: job.filename, engine: recogniser.engine, userId: job.userId };
      const transcription = transcriptionOf(heardBy(job), made, at);
      const micros = costOf(microsPerSecond, job.transcribedSeconds);
      if (micros === 0n || job.reservationId === undefined) return { decision, transcription, debits: [] };
      const spent = { debitId: job.debitId, workId: transcription.id, micros, at };
      const debits = [credits.debit(payerFor(by, job), job.reservationId, spent)];
      return { decision, transcription, debits };
    });
    if (given !== undefined) await credits.release(by.organisationId, given);
    return ended;
  };

export const costOf = (microsPerSecond: bigint, seconds: number): bigint =>
  BigInt(Math.max(1, Math.ceil(seconds))) * microsPerSecond;

/** Whoever has asked for the job, as billing knows them; in the name of the service, which works on it. */
export function payerFor({ organisationId, requestId }: ActorContext, { payer }: TranscriptionJob): Payer {
  const { memberId: userId, clientGroupId, apiKeyId } = payer;
  const by = serviceActorContext('content', organisationId, requestId);
  return { ...by, actor: { ...by.actor, userId }, clientGroupId, apiKeyId };
}
