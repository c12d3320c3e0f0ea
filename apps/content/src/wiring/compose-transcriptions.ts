import { newId, type Clock, type Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import type { Credits } from '../credits/domain/credits.ts';
import { transcriptionHandlers } from '../transcription/api/transcription-handlers.ts';
import { transcriptionUseCases } from '../transcription/app/transcriptions.ts';
import { receiveRecording } from '../transcription/engines/receive-recording.ts';
import { removeLeftSounds } from '../transcription/engines/scratch-folder.ts';
import { transcriptionsStore } from '../transcription/store/transcriptions-store.ts';
import type { EngineSettings } from './engine-settings.ts';
import { openRecogniser } from './open-engines.ts';

interface Parts {
  readonly settings: EngineSettings;
  readonly database: Database;
  readonly credits: Credits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly defer: (close: () => Promise<void>) => void;
}

/** Transcriptions, put together. */
export function composeTranscriptions({ settings, database, credits, clock, logger, defer }: Parts) {
  const transcriptions = transcriptionsStore(database);
  const { engine: recogniser, notice, close } = openRecogniser(settings, logger);
  logger.info(notice);
  defer(close);
  const app = transcriptionUseCases({
    transcriptions,
    receiveRecording,
    recogniser,
    credits,
    microsPerSecond: BigInt(settings.TRANSCRIPTION_MICROS_PER_SECOND),
    clock,
    newId,
    logger,
  });
  return {
    handlers: { TranscriptionService: transcriptionHandlers(app) },
    removeAll: transcriptions.removeAll,
    repeated: [{ name: 'the removal of sounds that were left behind', everyMs: 3_600_000, run: removeLeftSounds }],
  };
}
