import { newId } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { ModelRuntimeExports } from '../model-runtime/area.ts';
import type { SandboxExports } from '../sandbox/area.ts';
import type { ContentContext, service } from '../service.ts';
import { transcriptionHandlers } from './api/transcription-handlers.ts';
import { transcriptionUseCases } from './app/transcriptions.ts';
import type { SpeechRecogniser } from './domain/speech.ts';
import { openRecogniser } from './models/open-recogniser.ts';
import { receiveRecording } from './models/receive-recording.ts';
import { programRunner } from './models/run-program.ts';
import { removeLeftSounds } from './models/scratch-folder.ts';
import { transcriptionsStore } from './store/transcriptions-store.ts';

export type TranscriptionExports = ReturnType<typeof transcriptionArea>['exports'];

interface TranscriptionNeeds {
  readonly modelRuntime: ModelRuntimeExports;
  readonly credits: CreditsExports;
  readonly sandbox: SandboxExports;
}

/** Transcription: what was said in a recording, by the best recogniser that there is. */
export const transcriptionArea = (
  { settings, storage, clock, logger, defer }: ContentContext,
  { modelRuntime, credits: { creditsFor }, sandbox: { sandbox } }: TranscriptionNeeds,
) => {
  const transcriptions = transcriptionsStore(storage.database);
  const {
    model: recogniser,
    notice,
    close,
  } = openRecogniser(settings, modelRuntime.models, programRunner(sandbox), logger);
  logger.info(notice);
  defer(close);
  const app = transcriptionUseCases({
    transcriptions,
    receiveRecording,
    recogniser,
    credits: creditsFor('transcription'),
    microsPerSecond: BigInt(settings.TRANSCRIPTION_MICROS_PER_SECOND),
    clock,
    newId,
  });
  return {
    handlers: { TranscriptionService: transcriptionHandlers(app) },
    jobs: [{ name: 'the removal of sounds that were left behind', everyMs: 3_600_000, run: removeLeftSounds }],
    exports: {
      transcribe: (...call: Parameters<typeof app.transcribe>) => app.transcribe(...call),
      /** Undefined where what it cannot do without is not installed. */
      engine: isInstalled(recogniser) ? recogniser.engine : undefined,
      removeAll: transcriptions.removeAll,
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
