import { created, decided, unchanged, type Actor, type Decision, type DomainError } from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import { transcriptionFailed, transcriptionJobNotFound } from './errors.ts';
import type { RecognisedSpeech, SpokenSegment } from './speech.ts';
import { seesAll } from './transcription.ts';

export type TranscriptionJobStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface JobFailure {
  /** Stable, for programs. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** The bytes as they were when the job was made: they stay what they are as long as they are there. */
export interface RecordingBytes {
  readonly key: string;
  readonly bytes: number;
  /** Empty where nobody had counted it yet. */
  readonly checksum: string;
}

/** A part of a recording, recognised. */
export interface TranscribedPart {
  /** Seconds from the beginning of the recording. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly language: string | null;
  /** With times from the beginning of the recording. */
  readonly segments: readonly SpokenSegment[];
}

/** Whose credits it costs, whichever process works on it. */
export interface JobPayer {
  readonly memberId: string | null;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
}

/** A long recording that is transcribed part after part, by whoever is free. */
export interface TranscriptionJob {
  readonly id: string;
  /** Whose it is. */
  readonly userId: string;
  readonly status: TranscriptionJobStatus;
  readonly documentId: string;
  readonly filename: string;
  readonly recording: RecordingBytes;
  /** ISO 639-1, as it was told; null: it is found out. */
  readonly language: string | null;
  /** How long the recording is; null until it was measured. */
  readonly seconds: number | null;
  /** How much of it is done. */
  readonly transcribedSeconds: number;
  /** In order, without gaps, until it is over. */
  readonly parts: readonly TranscribedPart[];
  readonly failure: JobFailure | null;
  /** Of what will have been transcribed. */
  readonly transcriptionId: string;
  /** It is there. */
  readonly hasTranscription: boolean;
  readonly payer: JobPayer;
  /** Of what it costs, whoever writes that down. */
  readonly debitId: string;
  /** Of the credits that are set aside until it is over; absent: none are. */
  readonly reservationId?: string;
  /** How often somebody has begun with it since the last part was done. */
  readonly attempts: number;
  /** When somebody may begin with it; while somebody is at it, when anybody else may; null: it is over. */
  readonly nextAttemptAt: Date | null;
  readonly lease: { readonly holder: string; readonly until: Date } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

export type JobDecision<State = TranscriptionJob> = Decision<State, ContentEvent>;

/** Who is at it, and for how long without another word, in milliseconds. */
export interface Worker {
  readonly holder: string;
  readonly leaseMs: number;
}

export const isOver = ({ status }: Pick<TranscriptionJob, 'status'>): boolean =>
  status !== 'QUEUED' && status !== 'RUNNING';

/** How often somebody begins with the same part before it counts as one that cannot be transcribed. */
export const MAX_ATTEMPTS = 6;

/** Before the next attempt, in milliseconds. */
export const retryDelay = (attempts: number): number => Math.min(10_000 * 2 ** Math.max(0, attempts - 1), 10 * 60_000);

export type NewJob = Pick<
  TranscriptionJob,
  'id' | 'userId' | 'documentId' | 'filename' | 'recording' | 'language' | 'transcriptionId' | 'debitId' | 'payer'
>;

export function createJob(wanted: NewJob, at: Date): JobDecision {
  const job: TranscriptionJob = {
    ...wanted,
    ...{ status: 'QUEUED', seconds: null, transcribedSeconds: 0, parts: [], failure: null, hasTranscription: false },
    ...{ attempts: 0, nextAttemptAt: at, lease: null, createdAt: at, updatedAt: at, finishedAt: null },
  };
  const { id, documentId, filename, language } = job;
  return created(
    'transcription_job.created',
    job,
    at,
    { job_id: id, document_id: documentId },
    { document_id: documentId, filename, language },
  );
}

export const payerOfJob = ({ clientGroupId, apiKeyId }: Payer, actor: Actor): JobPayer => ({
  memberId: actor.userId,
  clientGroupId: clientGroupId ?? null,
  apiKeyId: apiKeyId ?? (actor.type === 'api_key' ? actor.id : null),
});

export const isHeldBy = (job: TranscriptionJob | undefined, { holder }: Worker): job is TranscriptionJob =>
  job?.status === 'RUNNING' && job.lease?.holder === holder;

/** Somebody begins with it; undefined where it is not to be had. One that nobody gets through is to be given up by whoever gets it. */
export function claimJob(
  job: TranscriptionJob | undefined,
  worker: Worker,
  at: Date,
): Decision<TranscriptionJob | undefined, ContentEvent, TranscriptionJob | undefined> {
  if (!job || isOver(job) || job.nextAttemptAt === null || job.nextAttemptAt > at)
    return { ...unchanged(job), result: undefined };
  const claimed: TranscriptionJob = {
    ...job,
    ...leased(worker, at),
    status: 'RUNNING',
    attempts: job.attempts + 1,
    updatedAt: at,
  };
  return decided(claimed);
}

const leased = ({ holder, leaseMs }: Worker, at: Date) => {
  const until = new Date(at.getTime() + leaseMs);
  return { lease: { holder, until }, nextAttemptAt: until };
};

type Change = (
  job: TranscriptionJob | undefined,
  at: Date,
) => Decision<TranscriptionJob | undefined, ContentEvent, TranscriptionJob | undefined>;

/** What only whoever is at it may do; undefined where that is somebody else now, or nobody. */
const byHolder =
  (worker: Worker, change: (job: TranscriptionJob, at: Date) => TranscriptionJob): Change =>
  (job, at) =>
    isHeldBy(job, worker) ? decided(change(job, at)) : { ...unchanged(job), result: undefined };

export const renewJob = (worker: Worker): Change => byHolder(worker, (job, at) => ({ ...job, ...leased(worker, at) }));

/** It is known how long the recording is, and its credits are set aside. */
export const measureJob = (worker: Worker, seconds: number, reservationId: string | undefined): Change =>
  byHolder(worker, (job, at) => ({
    ...job,
    ...leased(worker, at),
    ...(reservationId !== undefined && { reservationId }),
    seconds,
    updatedAt: at,
  }));

export const addPart = (worker: Worker, part: TranscribedPart): Change =>
  byHolder(worker, (job, at) => ({
    ...job,
    ...leased(worker, at),
    parts: [...job.parts, part],
    transcribedSeconds: part.to,
    attempts: 1,
    updatedAt: at,
  }));

/** Nobody is at it any more: the turn of another organisation has come, or the process is stopped. It has cost no attempt. */
export const releaseJob = (worker: Worker, delayMs = 0): Change =>
  byHolder(worker, (job, at) => ({
    ...job,
    ...{ status: 'QUEUED', lease: null, nextAttemptAt: new Date(at.getTime() + delayMs), updatedAt: at },
    attempts: Math.max(0, job.attempts - 1),
  }));

/** What was not its fault is tried again, a few times. */
export const postponeJob = (worker: Worker): Change =>
  byHolder(worker, (job, at) => ({
    ...job,
    ...{ status: 'QUEUED', lease: null, updatedAt: at },
    nextAttemptAt: new Date(at.getTime() + retryDelay(job.attempts)),
  }));

/** Nobody has got through with it, also where each process died of it. */
export const isGivenUp = ({ attempts }: TranscriptionJob): boolean => attempts > MAX_ATTEMPTS;

export const failureOf = ({ code, message }: DomainError): JobFailure => ({ code, message });

export const givenUp = (): JobFailure => failureOf(transcriptionFailed());

export type Ending =
  | { readonly status: 'SUCCEEDED' | 'CANCELLED' }
  | { readonly status: 'FAILED'; readonly failure: JobFailure };

/** Ends it for good; what was transcribed is kept unless it failed. */
export function endJob(job: TranscriptionJob, ending: Ending, at: Date): JobDecision {
  const { reservationId: _settled, ...rest } = job;
  const failure = ending.status === 'FAILED' ? ending.failure : null;
  const hasTranscription = ending.status === 'SUCCEEDED' || (ending.status === 'CANCELLED' && job.parts.length > 0);
  const ended: TranscriptionJob = {
    ...rest,
    ...{ status: ending.status, failure, hasTranscription },
    ...{ parts: [], nextAttemptAt: null, lease: null, updatedAt: at, finishedAt: at },
  };
  const { id, filename } = ended;
  return decided(ended, {
    name: 'transcription_job.finished',
    subject: id,
    at,
    data: {
      job_id: id,
      status: ended.status,
      transcription_id: hasTranscription ? ended.transcriptionId : null,
      failure_code: failure?.code ?? null,
    },
    change: { before: { status: job.status, filename }, after: { status: ended.status, filename } },
  });
}

/** All that was heard until now, as of one recording. */
export function heardBy({ parts, language, transcribedSeconds }: TranscriptionJob): RecognisedSpeech {
  const texts = parts.map(({ text }) => text.trim()).filter((text) => text !== '');
  return {
    text: texts.join(' '),
    seconds: transcribedSeconds,
    language: language ?? predominantLanguage(parts),
    segments: parts.flatMap(({ segments }) => segments),
  };
}

/** The language in which most is spoken. */
function predominantLanguage(parts: readonly TranscribedPart[]): string | undefined {
  const heard = new Map<string, number>();
  for (const { language, text } of parts)
    if (language !== null && text !== '') heard.set(language, (heard.get(language) ?? 0) + text.length);
  return [...heard].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** What a recogniser has heard in a part that begins there, at times within it; where it tells no times, all of it at once. */
export function partOf(
  heard: RecognisedSpeech,
  { from, to }: { readonly from: number; readonly to: number },
): TranscribedPart {
  const text = heard.text.trim();
  const within = (seconds: number): number => Math.min(to, Math.max(from, from + seconds));
  const timed = heard.segments.map(({ start, end, text: spoken }) => ({
    ...{ start: within(start), end: within(Math.max(start, end)) },
    text: spoken,
  }));
  const untimed = text === '' ? [] : [{ start: from, end: to, text }];
  return { from, to, text, language: heard.language ?? null, segments: timed.length > 0 ? timed : untimed };
}

/** NOT_FOUND: there is none, or it is somebody else's. */
export function jobSeenBy(job: TranscriptionJob | undefined, actor: Actor): TranscriptionJob {
  if (!job || (job.userId !== (actor.userId ?? actor.id) && !seesAll(actor))) throw transcriptionJobNotFound();
  return job;
}
