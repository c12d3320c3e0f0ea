import {
  busy,
  DomainError,
  newId,
  serviceActorContext,
  workInTurns,
  type FairSemaphore,
  type Logger,
} from '@platform-backend/core';
import { recordingGone } from '../domain/errors.ts';
import {
  addPart,
  claimJob,
  failureOf,
  givenUp,
  isGivenUp,
  isHeldBy,
  measureJob,
  partOf,
  postponeJob,
  releaseJob,
  renewJob,
  type JobFailure,
  type RecordingBytes,
  type TranscriptionJob,
} from '../domain/transcription-job.ts';
import type { JobRef } from '../domain/transcription-jobs.ts';
import { costOf, endingOf, payerFor, type JobPorts } from './transcription-jobs.ts';

export interface WorkPorts extends JobPorts {
  /** Who recognise at once, also for those who wait for an answer. */
  readonly recognising: FairSemaphore;
  /** Runs the work on a file with these bytes. NOT_FOUND, CONFLICT: they are there no more, or others. */
  readonly withCopy: (
    recording: RecordingBytes,
    signal: AbortSignal,
    work: (path: string) => Promise<void>,
  ) => Promise<void>;
  readonly logger: Logger;
  readonly maxSeconds: number;
  /** How long a job is ours without another word, in milliseconds. */
  readonly leaseMs: number;
}

/** While everybody recognises something else, in milliseconds. */
const BUSY_PAUSE_MS = 15_000;

/** What no repetition helps with: it is the recording's fault, or its owner's. */
const FINAL: ReadonlySet<DomainError['kind']> = new Set([
  'malformed',
  'too_large',
  'unsupported_media',
  'invalid',
  'payment_required',
  'not_provided',
  'not_found',
  'conflict',
]);

/** Whose turn it was last. */
export interface JobLane {
  last: string;
}

/** Works on jobs until none is due: of each organisation some minutes of one recording, round and round. Answers how often. */
export const workOnJobs = (ports: WorkPorts, lane: JobLane, stopping: AbortSignal): Promise<number> =>
  workInTurns(
    lane,
    stopping,
    (last) => ports.jobs.nextDue(last, ports.clock.now()),
    (ref) => workOnJob(ports, ref, stopping),
  );

/** Goes on with a job for a while. False: it was not to be had. */
async function workOnJob(ports: WorkPorts, { organisationId, id }: JobRef, stopping: AbortSignal): Promise<boolean> {
  const { jobs, clock, leaseMs, logger } = ports;
  const worker = { holder: newId(), leaseMs };
  const by = serviceActorContext('content', organisationId, newId());
  const keep = (change: ReturnType<typeof renewJob>) => jobs.update(by, id, (job) => change(job, clock.now()));
  const end = endingOf(ports);
  const fail = (failure: JobFailure) =>
    end(by, id, (job) => (isHeldBy(job, worker) ? { status: 'FAILED', failure } : undefined));

  const claimed = await jobs.update(by, id, (job) => claimJob(job, worker, clock.now()));
  if (!claimed) return false;
  if (isGivenUp(claimed)) {
    await fail(givenUp());
    return true;
  }
  const lost = new AbortController();
  const renewal = setInterval(() => {
    keep(renewJob(worker)).then(
      (held) => held ?? lost.abort(new Error('somebody else has the job now')),
      // The lease lasts for two more attempts; should it run out, a part is done twice and kept once.
      (error: unknown) =>
        logger.warn({ event: 'transcription_job.lease_failed', err: error }, 'a lease was not renewed'),
    );
  }, leaseMs / 3);
  const signal = AbortSignal.any([stopping, lost.signal]);
  const own = (job: TranscriptionJob | undefined): TranscriptionJob => {
    if (job) return job;
    lost.abort(new Error('somebody else has the job now'));
    throw lost.signal.reason;
  };
  try {
    let job = claimed;
    await ports.withCopy(job.recording, signal, async (path) => {
      const { total, measured } = await measuredBy(ports, by, job, path, signal);
      if (measured) job = own(await keep(measureJob(worker, total, measured.reservationId)));
      const recording = { organisationId, path, total, signal };
      job = await transcribePieces(ports, job, recording, async (part) => own(await keep(addPart(worker, part))));
    });
    if (job.transcribedSeconds >= (job.seconds ?? 0))
      await end(by, id, (found) => (isHeldBy(found, worker) ? { status: 'SUCCEEDED' } : undefined));
    else await keep(releaseJob(worker));
  } catch (error) {
    if (lost.signal.aborted) return true;
    if (stopping.aborted) await keep(releaseJob(worker));
    else if (error instanceof DomainError && error.code === busy().code) await keep(releaseJob(worker, BUSY_PAUSE_MS));
    else if (error instanceof DomainError && FINAL.has(error.kind)) await fail(failureOf(asTold(error)));
    else {
      logger.warn(
        { event: 'transcription_job.failed', err: error, organisationId, jobId: id },
        'a recording could not be transcribed now',
      );
      await keep(postponeJob(worker));
    }
  } finally {
    clearInterval(renewal);
  }
  return true;
}

const GONE: ReadonlySet<string> = new Set(['object_not_found', 'bytes_replaced']);

const asTold = (error: DomainError): DomainError => (GONE.has(error.code) ? recordingGone() : error);

/** How long it is; where nobody knew, with what is set aside for all of it. PAYMENT_REQUIRED: there is too little. */
async function measuredBy(
  { recordings, credits, microsPerSecond, maxSeconds }: WorkPorts,
  by: ReturnType<typeof serviceActorContext>,
  job: TranscriptionJob,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly total: number; readonly measured?: { readonly reservationId: string | undefined } }> {
  if (job.seconds !== null) return { total: job.seconds };
  const total = await recordings.measure(path, { maxSeconds, signal });
  const micros = costOf(microsPerSecond, total);
  if (micros === 0n) return { total, measured: { reservationId: undefined } };
  // Should this process die before it is noted down, nobody extends it, and it expires.
  const reservationId = newId();
  await credits.hold(payerFor(by, job), reservationId, micros);
  return { total, measured: { reservationId } };
}

interface LongRecording {
  readonly organisationId: string;
  readonly path: string;
  readonly total: number;
  readonly signal: AbortSignal;
}

async function transcribePieces(
  { recordings, recognising, recogniser }: WorkPorts,
  begun: TranscriptionJob,
  { organisationId, path, total, signal }: LongRecording,
  keep: (part: ReturnType<typeof partOf>) => Promise<TranscriptionJob>,
): Promise<TranscriptionJob> {
  let job = begun;
  const language = job.language ?? undefined;
  if (job.transcribedSeconds >= total) return job;
  for await (const { sound, from, to } of recordings.pieces(path, { from: job.transcribedSeconds, total, signal })) {
    signal.throwIfAborted();
    // Whoever is stopped, or has lost the job, waits for no slot.
    const slot = await recognising.acquire('tenants', organisationId, signal);
    const heard = await recogniser.transcribe(sound, { language, signal }).finally(() => recognising.release(slot));
    job = await keep(partOf(heard, { from, to }));
  }
  return job;
}
