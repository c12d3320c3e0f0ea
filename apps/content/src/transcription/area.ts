import { overdueSeconds } from '@platform-backend/mongo';
import { always, type Area, type RunningJob } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { ModelRuntimeExports } from '../model-runtime/area.ts';
import type { SandboxExports } from '../sandbox/area.ts';
import type { ContentContext, service } from '../service.ts';
import { transcriptionHandlers } from './api/transcription-handlers.ts';
import { transcriptionJobHandlers } from './api/transcription-job-handlers.ts';
import { transcriptionJobUseCases } from './app/transcription-jobs.ts';
import { recognitionSlots, transcriptionUseCases } from './app/transcriptions.ts';
import { workOnJobs } from './app/work-on-jobs.ts';
import type { SpeechRecogniser } from './domain/speech.ts';
import { longRecordings } from './models/long-recordings.ts';
import { openRecogniser } from './models/open-recogniser.ts';
import { receiveRecording } from './models/receive-recording.ts';
import { removeLeftSounds } from './models/scratch-folder.ts';
import { transcriptionJobsStore } from './store/transcription-jobs-store.ts';
import { transcriptionsStore } from './store/transcriptions-store.ts';

export type TranscriptionExports = Awaited<ReturnType<typeof transcriptionArea>>['exports'];

interface TranscriptionNeeds {
  readonly modelRuntime: ModelRuntimeExports;
  readonly credits: CreditsExports;
  readonly documents: DocumentsExports;
  readonly sandbox: SandboxExports;
}

/** How often jobs are looked for of which nobody has told this process, in milliseconds; more seldom while none is due and nothing happens. */
const POLL_EVERY_MS = 5_000;

/** Transcription: what was said in a recording, by the best recogniser that there is. */
export const transcriptionArea = async (
  { settings, storage, clock, logger, repeat, defer, metrics }: ContentContext,
  {
    modelRuntime,
    credits: { creditsFor },
    documents: { recordingOf, withBytes },
    sandbox: { run },
  }: TranscriptionNeeds,
) => {
  const transcriptions = transcriptionsStore(storage.database);
  const { model: recogniser, notice, close } = await openRecogniser(settings, modelRuntime.models, run, logger);
  logger.info(notice);
  defer(close);
  const shared = {
    ...{ recogniser, recognising: recognitionSlots(recogniser), credits: creditsFor('transcription') },
    ...{ microsPerSecond: BigInt(settings.TRANSCRIPTION_MICROS_PER_SECOND), clock },
  };
  const app = transcriptionUseCases({ ...shared, transcriptions, receiveRecording });
  const loops: RunningJob[] = [];
  const ports = {
    ...shared,
    ...{ jobs: transcriptionJobsStore(storage.database, transcriptions), recordingOf, withCopy: withBytes, logger },
    recordings: longRecordings(run, { maxSoundSeconds: settings.TRANSCRIPTION_MAX_SECONDS }),
    maxSeconds: settings.TRANSCRIPTION_JOB_MAX_SECONDS,
    leaseMs: settings.TRANSCRIPTION_JOB_LEASE_SECONDS * 1000,
    wake: () => loops.forEach((loop) => loop.wake()),
  };
  const jobs = transcriptionJobUseCases(ports);
  for (let worker = 0; worker < settings.TRANSCRIPTION_JOB_WORKERS; worker += 1) {
    const lane = { last: '' };
    const work = (stopping: AbortSignal) => workOnJobs(ports, lane, stopping);
    loops.push(
      repeat({
        name: 'the transcription of long recordings',
        everyMs: POLL_EVERY_MS,
        run: work,
        untilDueMs: jobs.untilDue,
      }),
    );
  }
  metrics.observe(
    'content_transcription_jobs_oldest_due_age_seconds',
    'How long the job that waits longest to be transcribed has been due; 0: none is.',
    () => overdueSeconds(storage.database, { collection: 'transcriptionJobs', field: 'nextAttemptAt' }, clock.now()),
  );
  return {
    handlers: { TranscriptionService: { ...transcriptionHandlers(app), ...transcriptionJobHandlers(jobs) } },
    jobs: [
      { name: 'the removal of sounds that were left behind', everyMs: 3_600_000, run: removeLeftSounds },
      // As long as nobody extends them they last for less than a minute.
      {
        name: 'the credits of transcription jobs',
        everyMs: 20_000,
        run: () => jobs.extendReservations(),
        untilDueMs: always,
      },
      {
        name: 'the removal of transcription jobs that are long over',
        everyMs: 3_600_000,
        run: (stopping) => jobs.removeEnded(stopping),
      },
    ],
    exports: {
      transcriptions,
      transcribe: (...call: Parameters<typeof app.transcribe>) => app.transcribe(...call),
      /** Undefined where what it cannot do without is not installed. */
      engine: isInstalled(recogniser) ? recogniser.engine : undefined,
      removeAll: async (organisationId: string): Promise<void> => {
        await ports.jobs.removeAll(organisationId);
        await transcriptions.removeAll(organisationId);
      },
    },
  } satisfies Area<typeof service.declaration>;
};

function isInstalled(recogniser: SpeechRecogniser): boolean {
  try {
    recogniser.requireInstalled();
    return true;
  } catch {
    return false;
  }
}
